import { type Duplicates, type LogIndex, MISSING_PARENT } from '../log/log-index.ts';
import { cycles } from './chains.ts';

/**
 * From the root down to the entry at a position. A parent that is not in the log ends the path, and so does an id that
 * was met before, whichever of the entries with that id it leads to.
 */
export function pathTo(index: LogIndex, position: number, duplicates: Duplicates = 'nearest-earlier'): number[] {
  // Where every parent stands before its child and ids are unique, nothing can be met twice.
  if (index.forwardParents === 0 && index.repeatedIds === 0) return plainPathTo(index, position);
  const path: number[] = [];
  const met = new Uint8Array(index.size);
  for (let at = position; at >= 0; at = index.parentOf(at, duplicates)) {
    const id = index.lastDefinition(at);
    if (met[id] === 1) break;
    met[id] = 1;
    path.push(at);
  }
  return path.reverse();
}

/** Counts first, for a list that grows with a long path leaves several times its size to be collected. */
function plainPathTo(index: LogIndex, position: number): number[] {
  let length = 0;
  for (let at = position; at >= 0; at = index.parentOf(at)) length++;
  const path = new Array<number>(length);
  for (let at = position; at >= 0; at = index.parentOf(at)) path[--length] = at;
  return path;
}

/** How a path ends at its root. */
export function pathEnd(index: LogIndex, root: number, duplicates?: Duplicates): 'root' | 'missing-parent' | 'cycle' {
  const parent = index.parentOf(root, duplicates);
  if (parent >= 0) return 'cycle';
  return parent === MISSING_PARENT ? 'missing-parent' : 'root';
}

/** A path that damage cut off from what is before it in the log. */
export interface CutPath {
  readonly root: number;
  readonly isCycle: boolean;
  readonly length: number;
  /** The last entry of the log before the root that the path does not hold, from which repair lets it hang. */
  readonly before: number;
}

/** Undefined where the path reaches a root of the log, or holds all that it could be cut off from. */
export function cutPath(index: LogIndex, position: number, duplicates?: Duplicates): CutPath | undefined {
  if (index.missingParents === 0 && index.forwardParents === 0 && index.repeatedIds === 0) return undefined;
  const path = pathTo(index, position, duplicates);
  const root = path[0] as number;
  const end = pathEnd(index, root, duplicates);
  if (end === 'root') return undefined;
  const held = new Uint8Array(index.size);
  for (const at of path) held[at] = 1;
  let before = root - 1;
  while (held[before] === 1) before--;
  return before < 0 ? undefined : { root, isCycle: end === 'cycle', length: path.length, before };
}

/** Where branches are cut off from the tree, in file order; not the first entry, which has nothing before it. */
export function cutRoots(index: LogIndex): number[] {
  const roots = cycles(index);
  if (index.missingParents > 0)
    index.eachApart((position, parent) => void (parent === MISSING_PARENT && roots.push(position)));
  return roots.filter((root) => root > 0).sort((a, b) => a - b);
}

/** The entries that nothing hangs from, in file order: the ends of the branches. */
export function leaves(index: LogIndex): number[] {
  /** Entries from which one hangs that does not follow them. */
  const isParent = new Uint8Array(index.size);
  index.eachApart((_, parent) => {
    if (parent >= 0) isParent[parent] = 1;
  });
  const ends: number[] = [];
  const endsAt = (position: number): void => {
    if (position >= 0 && isParent[position] === 0) ends.push(position);
  };
  // All other entries have the one behind them for a child.
  index.eachApart((position) => endsAt(position - 1));
  endsAt(index.size - 1);
  return ends;
}

/** The last entry that both paths share, or -1 where they share none. */
export function commonAncestor(
  index: LogIndex,
  a: number,
  b: number,
  duplicates: Duplicates = 'nearest-earlier',
): number {
  const onPath = new Uint8Array(index.size);
  for (const at of pathTo(index, a, duplicates)) onPath[at] = 1;
  const other = pathTo(index, b, duplicates);
  for (let at = other.length - 1; at >= 0; at--) {
    const position = other[at] as number;
    if (onPath[position] === 1) return position;
  }
  return -1;
}
