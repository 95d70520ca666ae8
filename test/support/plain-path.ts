import type { PathEntry } from '../../src/context/types.ts';
import { isObject, type JsonObject } from '../../src/json/value.ts';

/** The path to an entry, read in the plainest way: an oracle for the index, and input for projections. */
export function plainPath(
  log: string,
  leaf: string | undefined,
  duplicates: 'nearest-earlier' | 'last' = 'nearest-earlier',
): PathEntry[] {
  const entries: PathEntry[] = [];
  for (const text of log.split('\n')) {
    if (text.trim() === '') continue;
    const value: unknown = JSON.parse(text);
    if (isObject(value) && value['type'] !== 'session' && value['type'] !== 'title') entries.push({ text, value });
  }
  const find = (id: unknown, before: number): number => {
    if (typeof id !== 'string' || id === '') return -1;
    const same = (entry: PathEntry) => entry.value['id'] === id;
    if (duplicates === 'last') return entries.findLastIndex(same);
    const earlier = entries.slice(0, before).findLastIndex(same);
    return earlier >= 0 ? earlier : entries.findIndex(same);
  };
  const path: PathEntry[] = [];
  const met = new Set<unknown>();
  let at = leaf === undefined ? entries.length - 1 : entries.findLastIndex((entry) => entry.value['id'] === leaf);
  while (at >= 0) {
    const value: JsonObject = entries[at]?.value ?? {};
    if (met.has(value['id'])) break;
    met.add(value['id']);
    path.unshift(entries[at] as PathEntry);
    at = find(value['parentId'], at);
  }
  return path;
}
