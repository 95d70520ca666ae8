import { hash } from 'node:crypto';
import { encodeUtf8 } from '../../lines/line.ts';
import { HexIdSet, hexId } from './hex-ids.ts';

/** How new ids are made: the same in every run, as the agents do, or counted. */
export type IdScheme = 'stable' | 'random' | 'sequence';
export const ID_SCHEMES: readonly IdScheme[] = ['stable', 'random', 'sequence'];

/** There are no more ids of eight hexadecimal digits than this. */
const ALL_IDS = 2 ** 32;

/** Makes ids of eight hexadecimal digits that are neither in the file nor made before. */
export class IdMint {
  readonly #scheme: IdScheme;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #taken: HexIdSet;
  readonly #minted = new HexIdSet();
  #count = 0;

  constructor(scheme: IdScheme, random: (bytes: number) => Uint8Array, taken: HexIdSet = new HexIdSet()) {
    this.#scheme = scheme;
    this.#random = random;
    this.#taken = taken;
  }

  /** An id for the entry at this position of a log with this header id, as the number that it spells. */
  mint(headerId: string, position: number): number {
    for (let attempt = 0; attempt < ALL_IDS; attempt++) {
      const number = this.#candidate(headerId, position, attempt);
      if (this.#taken.has(number) || this.#minted.has(number)) continue;
      this.#minted.add(number);
      return number;
    }
    throw new RangeError('no free id was found');
  }

  isMinted(number: number): boolean {
    return this.#minted.has(number);
  }

  /** An id that stands in the file, met on the way. */
  take(number: number): void {
    this.#taken.add(number);
  }

  #candidate(headerId: string, position: number, attempt: number): number {
    switch (this.#scheme) {
      case 'stable':
        return stableNumber(headerId, position, attempt);
      case 'sequence':
        this.#count++;
        return this.#count;
      case 'random': {
        const [a = 0, b = 0, c = 0, d = 0] = this.#random(4);
        return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
      }
    }
  }
}

/** The id that the entry at a position gets in every run, on every machine; a try number tells it from one that is taken. */
export function stableId(headerId: string, position: number, attempt = 0): string {
  return hexId(stableNumber(headerId, position, attempt));
}

function stableNumber(headerId: string, position: number, attempt: number): number {
  const text = attempt === 0 ? `${headerId}\0${position}` : `${headerId}\0${position}\0${attempt}`;
  return Number.parseInt(hash('sha256', Buffer.from(encodeUtf8(text), 'latin1'), 'hex').slice(0, 8), 16);
}
