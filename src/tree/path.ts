import { isSeenByModel } from '../entries/types/index.ts';
import { type Duplicates, type LogIndex, MISSING_PARENT } from '../log/log-index.ts';
import { Children, cycles } from './children.ts';

/** The path from the root to a position; empty for a negative one. Ends at a missing parent and at a repeated id. */
export function pathTo(index: LogIndex, position: number, duplicates?: Duplicates): Int32Array {
  const path = new Int32Array(index.size);
  let start = path.length;
  const visited = new Uint8Array(index.size);
  for (let at = position; at >= 0; at = index.parentOf(at, duplicates)) {
    const id = index.lastDefinition(at);
    if (visited[id] === 1) break;
    visited[id] = 1;
    path[--start] = at;
  }
  return path.subarray(start);
}

/** A set of positions as a byte array: a path may have ten million. */
export function markPositions(index: LogIndex, positions: Iterable<number>): Uint8Array {
  const marks = new Uint8Array(index.size);
  for (const position of positions) marks[position] = 1;
  return marks;
}

/** How a path ends at its root. */
export function pathEnd(index: LogIndex, root: number, duplicates?: Duplicates): 'root' | 'missing-parent' | 'cycle' {
  const parent = index.parentOf(root, duplicates);
  if (parent >= 0) return 'cycle';
  return parent === MISSING_PARENT ? 'missing-parent' : 'root';
}

/** A path that damage cut off from what is before it in the log. */
interface CutPath {
  readonly root: number;
  readonly isCycle: boolean;
  readonly length: number;
  /** The last entry before the root that is not on the path; repair attaches the path to it. */
  readonly before: number;
}

/** Undefined if the path reaches a root, or contains everything that it could be cut off from. */
export function cutPath(index: LogIndex, position: number, duplicates?: Duplicates): CutPath | undefined {
  if (index.missingParents + index.forwardParents + index.repeatedIds === 0) return undefined;
  const path = pathTo(index, position, duplicates);
  const root = path[0] as number;
  const end = pathEnd(index, root, duplicates);
  if (end === 'root') return undefined;
  const isHeld = markPositions(index, path);
  let before = root - 1;
  while (isHeld[before] === 1) before--;
  return before < 0 ? undefined : { root, isCycle: end === 'cycle', length: path.length, before };
}

/** Where branches are cut off from the tree, in file order; not the first entry. */
export function cutRoots(index: LogIndex): number[] {
  const roots = cycles(index);
  for (let at = 0; at < index.size; at++) if (index.parentOf(at) === MISSING_PARENT) roots.push(at);
  return roots.filter((root) => root > 0).sort((a, b) => a - b);
}

/** The entries without children, in file order. */
export function leaves(index: LogIndex): number[] {
  const isParent = new Uint8Array(index.size);
  for (let at = 0; at < index.size; at++) {
    const parent = index.parentOf(at);
    if (parent >= 0) isParent[parent] = 1;
  }
  const ends: number[] = [];
  for (let at = 0; at < index.size; at++) if (isParent[at] === 0) ends.push(at);
  return ends;
}

/** The last entry that both paths share, or -1. */
export function commonAncestor(index: LogIndex, a: number, b: number): number {
  const isOnPath = markPositions(index, pathTo(index, a));
  return pathTo(index, b).findLast((position) => isOnPath[position] === 1) ?? -1;
}

/**
 * Whether the last entry, or another one in its place, hides work: the model sees nothing from it up to the first entry
 * with another child, and another branch from there has a message; or entries before it in the file are below it.
 * Returns the last entry of those branches in the file, or undefined.
 */
export function hiddenWork(index: LogIndex, leaf = index.size - 1): number | undefined {
  const below = workBelow(index, leaf);
  if (below !== undefined || index.size < 3 || isSeenByModel(index.typeOf(leaf))) return below;
  const children = new Children(index);
  let own = leaf;
  let parent = children.parentOf(own);
  while (parent >= 0 && children.hasOne(parent)) {
    own = parent;
    if (isSeenByModel(index.typeOf(own))) return undefined;
    parent = children.parentOf(own);
  }
  if (parent < 0) return undefined;
  return newestWork(index, children, parent, (child) => child !== own);
}

/** Work below an entry that only a damaged log has there: written in the wrong order, or below an earlier copy. */
function workBelow(index: LogIndex, leaf: number): number | undefined {
  if (leaf < 1 || index.forwardParents + index.repeatedIds === 0) return undefined;
  const { size } = index;
  const children = new Children({ size, forwardParents: 1, parentOf: (at) => index.parentOf(at, 'last') });
  const path = markPositions(index, pathTo(index, leaf, 'last'));
  return newestWork(index, children, leaf, (child) => path[child] !== 1);
}

/** The last entry in the file below those children of an entry; undefined if there is no message. */
function newestWork(
  index: LogIndex,
  children: Children,
  parent: number,
  isWanted: (child: number) => boolean,
): number | undefined {
  const waiting = [...children.of(parent)].filter(isWanted);
  let newest = -1;
  let holdsMessage = false;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    newest = Math.max(newest, at);
    if (index.typeOf(at) === 'message') holdsMessage = true;
    for (const child of children.of(at)) waiting.push(child);
  }
  return holdsMessage ? newest : undefined;
}
