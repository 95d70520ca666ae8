import type { LogIndex } from '../log/log-index.ts';
import { partitionPoint } from '../util/search.ts';

const LONGEST = 12;
const SHORT = 8;

/** Cuts a long id to a prefix that names the same entry as a REV, where a few characters do. 4 bytes per entry. */
export function idShortener(index: LogIndex): (id: string) => string {
  let hashes: Uint32Array | undefined;
  return (id) => {
    if (id.length <= LONGEST || !/^[!-~]+$/.test(id)) return id;
    hashes ??= Uint32Array.from(prefixHashes(index)).sort();
    const sorted = hashes;
    const hash = hashOf(id);
    const at = partitionPoint(0, sorted.length, (place) => (sorted[place] as number) < hash);
    return sorted[at + 1] === hash ? id : id.slice(0, SHORT);
  };
}

function* prefixHashes(index: LogIndex): Generator<number> {
  for (const [id] of index.ids()) yield hashOf(id);
}

/** FNV-1a of the start of an id. Two that are equal by chance only keep two ids long. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < SHORT && at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
