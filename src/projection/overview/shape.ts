import { type Children, cycles } from '../../tree/children.ts';
import type { LogIndex } from '../../tree/log-index.ts';
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
  readonly isNotable: (position: number) => boolean;
}

/**
 * The tree as lines, from the roots down: at a branch point the side branches come first, and the branch that leads to
 * the leaf, or else to the last entry in the file, goes on in the same column. So the columns are as many as branches
 * nest, however long the trunk is. Linear, without recursion.
 */
export function* drawnLines(index: LogIndex, children: Children, options: ShapeOptions): Generator<DrawnLine, void, void> {
  const trunk = trunkChildren(index, children, options.leaf);
  const waiting: { start: number; depth: number; branchesOff: boolean; isRoot: boolean }[] = [];
  for (let at = children.roots.length - 1; at >= 0; at--) {
    waiting.push({ start: children.roots[at] as number, depth: 0, branchesOff: false, isRoot: true });
  }
  const hasOwnLine = (at: number): boolean => children.count(at) !== 1 || options.isNotable(at) || at === options.leaf;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { start, depth } = next;
    let at = start;
    for (;;) {
      const isFirst = at === start;
      yield { kind: 'entry', position: at, depth, branchesOff: isFirst && next.branchesOff, isRoot: isFirst && next.isRoot };
      const count = children.count(at);
      if (count === 0) break;
      const onward = trunk[at] as number;
      if (count > 1) {
        waiting.push({ start: onward, depth, branchesOff: false, isRoot: false });
        const sides = [...children.of(at)].filter((child) => child !== onward);
        for (const side of sides.reverse()) waiting.push({ start: side, depth: depth + 1, branchesOff: true, isRoot: false });
        break;
      }
      const run = new Run(index);
      at = run.follow(onward, trunk, hasOwnLine);
      yield* run.lines(depth);
    }
  }
}

class Run {
  readonly #index: LogIndex;
  /** Few are different, so looking through them takes less time than a map would. */
  readonly #kinds: string[] = [];
  readonly #counts: number[] = [];
  #count = 0;
  #last = -1;

  constructor(index: LogIndex) {
    this.#index = index;
  }

  /** Takes in what comes from here on down the trunk, up to the next entry with a line of its own; gives that one. */
  follow(start: number, trunk: Int32Array, hasOwnLine: (position: number) => boolean): number {
    let at = start;
    for (; !hasOwnLine(at); at = trunk[at] as number) this.#add(at);
    return at;
  }

  #add(position: number): void {
    const kind = this.#index.roleOf(position) || this.#index.typeOf(position) || 'other';
    const place = this.#kinds.indexOf(kind);
    if (place >= 0) this.#counts[place] = (this.#counts[place] as number) + 1;
    else this.#counts[this.#kinds.push(kind) - 1] = 1;
    this.#count++;
    this.#last = position;
  }

  /** A run of one takes a line either way, so the entry is shown. */
  *lines(depth: number): Generator<DrawnLine, void, void> {
    if (this.#count === 1) yield { kind: 'entry', position: this.#last, depth, branchesOff: false, isRoot: false };
    else if (this.#count > 1) {
      yield { kind: 'run', depth, count: this.#count, kinds: new Map(this.#kinds.map((kind, at) => [kind, this.#counts[at] as number])) };
    }
  }
}

/** For each entry the child that goes on in its column, -1 for a leaf. */
function trunkChildren(index: LogIndex, children: Children, leaf: number): Int32Array {
  const trunk = new Int32Array(index.size).fill(-1);
  /** The last entry in the file at or below each. */
  const last = new Int32Array(index.size);
  // The drawing cuts cycles open: the entry where one is cut hangs from nothing.
  const cut = new Set(cycles(index));
  // Where every parent stands before its child, going up the file is going up the tree.
  const order = index.forwardParents > 0 ? topDown(index, children) : undefined;
  for (let at = index.size - 1; at >= 0; at--) {
    const position = order ? (order[at] as number) : at;
    // All that is below has been here; what was found there stands behind it, unless a parent stands behind its child.
    const below = Math.max(last[position] as number, position);
    last[position] = below;
    const parent = index.parentOf(position);
    if (parent < 0 || (cut.size > 0 && cut.has(position))) continue;
    if (trunk[parent] === -1 || below > (last[trunk[parent] as number] as number)) trunk[parent] = position;
    if (below > (last[parent] as number)) last[parent] = below;
  }
  if (leaf >= 0) {
    const path = pathTo(index, leaf);
    for (let at = 1; at < path.length; at++) {
      const child = path[at] as number;
      if (cut.size === 0 || !cut.has(child)) trunk[path[at - 1] as number] = child;
    }
  }
  return trunk;
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
