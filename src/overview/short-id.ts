import type { Log } from '../log/log.ts';
import { SHORT_ID } from '../tree/last-entry.ts';
import { partitionPoint } from '../util/search.ts';

/** Native ids up to this length are not shortened. */
const LONGEST = 12;

type PartOfId = (id: string) => string;
const start: PartOfId = (id) => id.slice(0, SHORT_ID);
const end: PartOfId = (id) => id.slice(-SHORT_ID);

/**
 * Shortens a long id to a part that is a valid REV for the same entry, if possible: to its start or, in another agent's
 * log, where many ids start with a type and a time, to its end. Up to 8 bytes per entry.
 */
export function idShortener({ index, format }: Log): (id: string) => string {
  const hashes = new Map<PartOfId, Uint32Array>();
  const count = (part: PartOfId, of: string): number => {
    const sorted = hashes.get(part) ?? Uint32Array.from(index.ids(), ([id]) => hashOf(part(id))).sort();
    hashes.set(part, sorted);
    const hash = hashOf(of);
    const at = partitionPoint(0, sorted.length, (place) => (sorted[place] as number) < hash);
    return sorted[at] !== hash ? 0 : sorted[at + 1] === hash ? 2 : 1;
  };
  return (id) => {
    if (id.length <= (format ? SHORT_ID : LONGEST) || !/^[!-~]+$/.test(id)) return id;
    const [first, last] = [start(id), end(id)];
    const named = (): boolean => count(start, first) === 1;
    if (!(format && first.includes('_')) && named()) return first;
    if (format && /^\w[\w-]+$/.test(last) && count(end, last) === 1 && count(start, last) === 0) return last;
    return named() ? first : id;
  };
}

/** FNV-1a. A collision only leaves two ids unshortened. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
