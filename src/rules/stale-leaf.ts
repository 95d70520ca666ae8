import { Children } from './children.ts';
import { KIND, type LogFacts } from './log-facts.ts';

/**
 * Whether the last entry hides work: from it up to the first entry with another child nothing is shown to the model, and
 * another branch from there holds a message. `newer` is the last entry in the file of those branches.
 */
export function staleLeaf(log: LogFacts): { readonly newer: number } | undefined {
  if (log.size < 3) return undefined;
  let child = log.size - 1;
  if (isShown(log.kindOf(child))) return undefined;
  const children = new Children(log);
  for (;;) {
    if (isShown(log.kindOf(child))) return undefined;
    const parent = log.parentOf(child);
    if (parent < 0) return undefined;
    if (children.hasSeveral(parent)) return newestBeside(log, children, parent, child);
    child = parent;
  }
}

function newestBeside(log: LogFacts, children: Children, parent: number, own: number): { newer: number } | undefined {
  const waiting: number[] = [];
  for (let child = children.first(parent); child >= 0; child = children.next(child)) if (child !== own) waiting.push(child);
  let newest = -1;
  let holdsMessage = false;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    newest = Math.max(newest, at);
    const kind = log.kindOf(at);
    if (kind !== KIND.other && kind !== KIND.shown) holdsMessage = true;
    for (let child = children.first(at); child >= 0; child = children.next(child)) waiting.push(child);
  }
  return holdsMessage ? { newer: newest } : undefined;
}

function isShown(kind: number): boolean {
  return kind !== KIND.other;
}
