import { isShown } from '../entries/types/index.ts';
import type { LogIndex } from '../log/log-index.ts';
import { Children } from './children.ts';

/**
 * Whether the last entry, or another one taken for it, hides work: from it up to the first entry with another child nothing is shown to the model, and
 * another branch from there holds a message. Gives the last entry in the file of those branches, or undefined.
 */
export function staleLeaf(index: LogIndex, leaf = index.size - 1): number | undefined {
  let child = leaf;
  if (index.size < 3 || isShown(index.typeOf(child))) return undefined;
  const children = new Children(index);
  const roots = new Set(children.roots);
  for (;;) {
    if (isShown(index.typeOf(child)) || roots.has(child)) return undefined;
    const parent = index.parentOf(child);
    if (children.count(parent) > 1) return newestBeside(index, children, parent, child);
    child = parent;
  }
}

function newestBeside(index: LogIndex, children: Children, parent: number, own: number): number | undefined {
  const waiting = [...children.of(parent)].filter((child) => child !== own);
  let newest = -1;
  let holdsMessage = false;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    newest = Math.max(newest, at);
    if (index.typeOf(at) === 'message') holdsMessage = true;
    for (const child of children.of(at)) waiting.push(child);
  }
  return holdsMessage ? newest : undefined;
}
