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
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { start, depth } = next;
    let run = new Run(index);
    let at = start;
    for (;;) {
      const count = children.count(at);
      const isFirst = at === start;
      if (isFirst || count !== 1 || options.isNotable(at) || at === options.leaf) {
        yield* run.lines(depth);
        run = new Run(index);
        yield { kind: 'entry', position: at, depth, branchesOff: isFirst && next.branchesOff, isRoot: isFirst && next.isRoot };
      } else run.add(at);
      if (count === 0) break;
      const onward = trunk[at] as number;
      if (count > 1) {
        waiting.push({ start: onward, depth, branchesOff: false, isRoot: false });
        const sides = [...children.of(at)].filter((child) => child !== onward);
        for (const side of sides.reverse()) waiting.push({ start: side, depth: depth + 1, branchesOff: true, isRoot: false });
        break;
      }
      at = onward;
    }
  }
}

class Run {
  readonly #index: LogIndex;
  readonly #kinds = new Map<string, number>();
  #count = 0;
  #last = -1;

  constructor(index: LogIndex) {
    this.#index = index;
  }

  add(position: number): void {
    const kind = this.#index.roleOf(position) || this.#index.typeOf(position) || 'other';
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
    this.#count++;
    this.#last = position;
  }

  /** A run of one takes a line either way, so the entry is shown. */
  *lines(depth: number): Generator<DrawnLine, void, void> {
    if (this.#count === 1) yield { kind: 'entry', position: this.#last, depth, branchesOff: false, isRoot: false };
    else if (this.#count > 1) yield { kind: 'run', depth, count: this.#count, kinds: this.#kinds };
  }
}

/** For each entry the child that goes on in its column, -1 for a leaf. */
function trunkChildren(index: LogIndex, children: Children, leaf: number): Int32Array {
  const trunk = new Int32Array(index.size).fill(-1);
  /** The last entry in the file at or below each. */
  const last = new Int32Array(index.size);
  const order = topDown(index, children);
  for (let at = order.length - 1; at >= 0; at--) {
    const position = order[at] as number;
    let newest = position;
    for (const child of children.of(position)) {
      const below = last[child] as number;
      if (trunk[position] === -1 || below > (last[trunk[position] as number] as number)) trunk[position] = child;
      newest = Math.max(newest, below);
    }
    last[position] = newest;
  }
  if (leaf >= 0) {
    const path = pathTo(index, leaf);
    // The drawing cuts cycles open: the entry where one is cut hangs from nothing.
    const cut = new Set(cycles(index));
    for (let at = 1; at < path.length; at++) {
      const child = path[at] as number;
      if (!cut.has(child)) trunk[path[at - 1] as number] = child;
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
    for (const child of children.of(order[at] as number)) order[filled++] = child;
  }
  return order;
}
