import { hash } from 'node:crypto';
import { parseObject } from '../../json/value.ts';
import { encodeUtf8 } from '../../lines/line.ts';
import { readLineBatches } from '../../lines/reader.ts';
import { Symbols } from '../../util/symbols.ts';

/** How new ids are made: the same in every run, random as the agents do, or counted. */
export const ID_SCHEMES = ['stable', 'random', 'sequence'] as const;
export type IdScheme = (typeof ID_SCHEMES)[number];

/** The id of the entry at a position, the same in every run; `attempt` counts up while ids are taken. */
export function stableId(headerId: string, position: number, attempt = 0): string {
  const text = attempt === 0 ? `${headerId}\0${position}` : `${headerId}\0${position}\0${attempt}`;
  return hash('sha256', Buffer.from(encodeUtf8(text), 'latin1'), 'hex').slice(0, 8);
}

/** An id as the agents make them. */
export function randomId(random: (bytes: number) => Uint8Array): string {
  return Buffer.from(random(4)).toString('hex');
}

export function freeId(candidate: (attempt: number) => string, isTaken: (id: string) => boolean): string {
  for (let attempt = 0; ; attempt++) {
    const id = candidate(attempt);
    if (!isTaken(id)) return id;
  }
}

/** Matches an `id` that a new one could equal, also with escapes. */
const MAY_COLLIDE = /"(?:i|\\u0069)(?:d|\\u0064)"\s*:\s*"(?:[0-9a-f]|\\u00[36][0-9a-fA-F]){8}"/;

/** The ids that a new id could collide with; most lines need not be parsed. The key is 8 random bytes. */
export async function skimIds(source: AsyncIterable<Uint8Array>, key: Uint8Array): Promise<Symbols> {
  const ids = new Symbols(key);
  for await (const lines of readLineBatches(source)) {
    for (const { raw } of lines) {
      const id = MAY_COLLIDE.test(raw) ? parseObject(raw)?.['id'] : undefined;
      if (typeof id === 'string') ids.intern(id);
    }
  }
  return ids;
}
