import { firstNot } from '../../base/search.ts';
import type { LogIndex } from '../../log/log-index.ts';
import type { Chains } from '../../tree/chains.ts';
import type { Children } from '../../tree/children.ts';
import { pathTo } from '../../tree/path.ts';

/** A line of the drawing: an entry, or a run of entries that are not worth a line each. */
export type DrawnLine =
  | {
      readonly kind: 'entry';
      readonly position: number;
      /** How many columns of branches stand before it. */
      readonly depth: number;
      /** Leaves the column before it: the first entry of a side branch. */
      readonly branchesOff: boolean;
      /** The first entry of a tree. */
      readonly isRoot: boolean;
    }
  | {
      readonly kind: 'run';
      readonly depth: number;
      readonly count: number;
      /** How many of them are of which role or type. */
      readonly kinds: ReadonlyMap<string, number>;
    };

export interface ShapeOptions {
  /** The leaf whose branch is the trunk. */
  readonly leaf: number;
  /** Entries that always get a line of their own. */
  readonly notable: Iterable<number>;
}

/**
 * The tree as lines, from the roots down: at a branch point the side branches come first, and the branch that leads to
 * the leaf, or else to the last entry in the file, goes on in the same column. So the columns are as many as branches
 * nest, however long the trunk is. Linear, without recursion.
 */
export function* drawnLines(index: LogIndex, children: Children, options: ShapeOptions): Generator<DrawnLine, void, void> {
  const { chains } = children;
  const trunk = new Trunk(index, chains, options.leaf);
  const hasOwnLine = new Uint8Array(index.size);
  for (const position of options.notable) hasOwnLine[position] = 1;
  if (options.leaf >= 0) hasOwnLine[options.leaf] = 1;
  /** 1 wherever a run may end; between two of them entries hang one from the other. */
  const stops = Buffer.from(hasOwnLine);
  for (let chain = 0; chain < chains.count; chain++) stops[chains.last(chain)] = 1;
  for (const point of trunk.points) stops[point] = 1;

  const waiting: { start: number; depth: number; branchesOff: boolean; isRoot: boolean }[] = [];
  for (let at = children.roots.length - 1; at >= 0; at--) {
    waiting.push({ start: children.roots[at] as number, depth: 0, branchesOff: false, isRoot: true });
  }
  const run = new Run(index, children, stops, hasOwnLine);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { start, depth } = next;
    let at = start;
    for (;;) {
      const isFirst = at === start;
      yield { kind: 'entry', position: at, depth, branchesOff: isFirst && next.branchesOff, isRoot: isFirst && next.isRoot };
      const count = children.count(at);
      if (count === 0) break;
      if (count > 1) {
        const onward = trunk.onward(at);
        waiting.push({ start: onward, depth, branchesOff: false, isRoot: false });
        const sides = [...children.of(at)].filter((child) => child !== onward);
        for (const side of sides.reverse()) waiting.push({ start: side, depth: depth + 1, branchesOff: true, isRoot: false });
        break;
      }
      at = run.follow(children.first(at));
      const line = run.line(depth);
      if (line) yield line;
    }
  }
}

/** Entries that are not worth a line each. */
class Run {
  readonly #index: LogIndex;
  readonly #children: Children;
  readonly #stops: Buffer;
  readonly #hasOwnLine: Uint8Array;
  #kinds = new Map<string, number>();
  #count = 0;
  #last = -1;

  constructor(index: LogIndex, children: Children, stops: Buffer, hasOwnLine: Uint8Array) {
    this.#index = index;
    this.#children = children;
    this.#stops = stops;
    this.#hasOwnLine = hasOwnLine;
  }

  /** Takes in what comes from here on, up to the next entry with a line of its own; gives that one. */
  follow(start: number): number {
    this.#kinds = new Map();
    this.#count = 0;
    for (let at = start; ; ) {
      const stop = this.#stops.indexOf(1, at);
      this.#add(at, stop);
      if (this.#hasOwnLine[stop] === 1 || this.#children.count(stop) !== 1) return stop;
      this.#add(stop, stop + 1);
      at = this.#children.first(stop);
    }
  }

  #add(from: number, to: number): void {
    if (to === from) return;
    for (let position = from; position < to; position++) {
      const name = this.#index.roleOf(position) || this.#index.typeOf(position) || 'other';
      this.#kinds.set(name, (this.#kinds.get(name) ?? 0) + 1);
    }
    this.#count += to - from;
    this.#last = to - 1;
  }

  /** A run of one takes a line either way, so the entry is shown. */
  line(depth: number): DrawnLine | undefined {
    if (this.#count === 0) return undefined;
    if (this.#count === 1) return { kind: 'entry', position: this.#last, depth, branchesOff: false, isRoot: false };
    return { kind: 'run', depth, count: this.#count, kinds: this.#kinds };
  }
}

/** Where branches part, which child goes on in the column of its parent. */
class Trunk {
  /** Entries from which one hangs that does not stand behind them, in file order, and the child that goes on. */
  readonly points: Int32Array;
  readonly #onward: Int32Array;

  constructor(index: LogIndex, chains: Chains, leaf: number) {
    const { starts, parents } = chains;
    const sorted = parents.filter((parent) => parent >= 0).sort();
    this.points = sorted.filter((point, at) => at === 0 || point !== sorted[at - 1]);
    this.#onward = new Int32Array(this.points.length);
    /** The last entry in the file at or below that child. */
    const reach = new Int32Array(this.points.length).fill(-1);
    const order = bottomUp(index, chains);
    for (const chain of order) {
      const last = chains.last(chain);
      let below = last;
      for (let at = this.#place(last + 1) - 1; at >= 0 && (this.points[at] as number) >= (starts[chain] as number); at--) {
        const point = this.points[at] as number;
        if (point < last && below > (reach[at] as number)) this.#onward[at] = point + 1;
        else below = Math.max(below, reach[at] as number);
      }
      const parent = parents[chain] as number;
      if (parent < 0) continue;
      const at = this.#place(parent);
      if (below <= (reach[at] as number)) continue;
      reach[at] = below;
      this.#onward[at] = starts[chain] as number;
    }
    if (leaf >= 0) this.#leadTo(index, chains, leaf);
  }

  /** The child that goes on, of an entry from which several hang. */
  onward(position: number): number {
    return this.#onward[this.#place(position)] as number;
  }

  #leadTo(index: LogIndex, chains: Chains, leaf: number): void {
    const isPoint = new Uint8Array(index.size);
    for (const point of this.points) isPoint[point] = 1;
    const path = pathTo(index, leaf);
    for (let at = 1; at < path.length; at++) {
      const parent = path[at - 1] as number;
      const child = path[at] as number;
      if (isPoint[parent] === 1 && !chains.opened.has(child)) this.#onward[this.#place(parent)] = child;
    }
  }

  #place(position: number): number {
    return firstNot(0, this.points.length, (at) => (this.points[at] as number) < position);
  }
}

/** Every chain before the one that it hangs from. */
function bottomUp(index: LogIndex, { count, starts, parents }: Chains): Int32Array {
  const order = new Int32Array(count);
  // Where every parent stands before its child, going up the file is going up the tree.
  if (index.forwardParents === 0) return order.map((_, at) => count - 1 - at);
  const chainOf = (position: number): number => firstNot(0, count, (at) => (starts[at] as number) <= position) - 1;
  const firstChild = new Int32Array(count).fill(-1);
  const nextChild = new Int32Array(count).fill(-1);
  let filled = count;
  for (let chain = 0; chain < count; chain++) {
    const parent = parents[chain] as number;
    if (parent < 0) order[--filled] = chain;
    else {
      const holder = chainOf(parent);
      nextChild[chain] = firstChild[holder] as number;
      firstChild[holder] = chain;
    }
  }
  for (let at = count - 1; at >= filled; at--) {
    for (let child = firstChild[order[at] as number] as number; child >= 0; child = nextChild[child] as number) order[--filled] = child;
  }
  return order;
}

/** Every entry after its parent. */
export function topDown(index: LogIndex, children: Children): Int32Array {
  const order = new Int32Array(index.size);
  let filled = 0;
  for (const root of children.roots) order[filled++] = root;
  for (let at = 0; at < filled; at++) {
    for (let child = children.first(order[at] as number); child >= 0; child = children.next(child)) order[filled++] = child;
  }
  return order;
}
