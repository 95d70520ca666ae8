import type { LogIndex } from '../log/log-index.ts';
import type { Children } from '../tree/children.ts';
import { pathTo } from '../tree/path.ts';

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
export function* drawnLines(
  index: LogIndex,
  children: Children,
  { leaf, notable }: ShapeOptions,
): Generator<DrawnLine, void, void> {
  const hasOwnLine = new Uint8Array(index.size);
  for (const position of notable) hasOwnLine[position] = 1;
  if (leaf >= 0) hasOwnLine[leaf] = 1;
  const reach = reachOf(index, children, leaf);
  const waiting: { start: number; depth: number; branchesOff: boolean; isRoot: boolean }[] = [];
  for (let at = children.roots.length - 1; at >= 0; at--) {
    waiting.push({ start: children.roots[at] as number, depth: 0, branchesOff: false, isRoot: true });
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { start, depth } = next;
    let at = start;
    for (;;) {
      const isFirst = at === start;
      yield {
        kind: 'entry',
        position: at,
        depth,
        branchesOff: isFirst && next.branchesOff,
        isRoot: isFirst && next.isRoot,
      };
      const [first, ...others] = children.of(at);
      if (first === undefined) break;
      if (others.length > 0) {
        const onward = others.reduce(
          (best, child) => ((reach[child] as number) > (reach[best] as number) ? child : best),
          first,
        );
        waiting.push({ start: onward, depth, branchesOff: false, isRoot: false });
        const sides = [first, ...others].filter((child) => child !== onward);
        for (const side of sides.reverse())
          waiting.push({ start: side, depth: depth + 1, branchesOff: true, isRoot: false });
        break;
      }
      const kinds = new Map<string, number>();
      let count = 0;
      let last = -1;
      for (at = first; hasOwnLine[at] === 0 && children.count(at) === 1; at = children.first(at)) {
        const kind = index.roleOf(at) || index.typeOf(at) || 'other';
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        count++;
        last = at;
      }
      // A run of one takes a line either way, so the entry is shown.
      if (count === 1) yield { kind: 'entry', position: last, depth, branchesOff: false, isRoot: false };
      else if (count > 1) yield { kind: 'run', depth, count, kinds };
    }
  }
}

/** For each entry the last one in the file at or below it; more than any on the path to the leaf. */
function reachOf(index: LogIndex, children: Children, leaf: number): Int32Array {
  const reach = new Int32Array(index.size).map((_, at) => at);
  const { opened } = children.chains;
  const order = topDown(index, children);
  for (let place = order.length - 1; place >= 0; place--) {
    const at = order[place] as number;
    const parent = index.parentOf(at);
    if (parent >= 0 && !opened.has(at)) reach[parent] = Math.max(reach[parent] as number, reach[at] as number);
  }
  for (const at of leaf < 0 ? [] : pathTo(index, leaf)) if (!opened.has(at)) reach[at] = index.size;
  return reach;
}

/** Every entry after its parent. */
export function topDown(index: LogIndex, children: Children): Int32Array {
  const order = new Int32Array(index.size);
  let filled = 0;
  for (const root of children.roots) order[filled++] = root;
  for (let at = 0; at < filled; at++) {
    for (let child = children.first(order[at] as number); child >= 0; child = children.next(child))
      order[filled++] = child;
  }
  return order;
}
