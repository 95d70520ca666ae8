import { hash } from 'node:crypto';
import { encodeUtf8 } from '../../lines/line.ts';
import { NONE, Symbols } from '../../util/symbols.ts';

/** How new ids are made: the same in every run, as the agents do, or counted. */
export type IdScheme = 'stable' | 'random' | 'sequence';
export const ID_SCHEMES: readonly IdScheme[] = ['stable', 'random', 'sequence'];

/** There are no more ids of eight hexadecimal digits than this. */
const ALL_IDS = 2 ** 32;

/** Makes ids of eight hexadecimal digits that are neither in the file nor made before. */
export class IdMint {
  readonly #scheme: IdScheme;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #taken: Symbols;
  readonly #minted: Symbols;
  #count = 0;

  constructor(scheme: IdScheme, random: (bytes: number) => Uint8Array, taken?: Symbols) {
    this.#scheme = scheme;
    this.#random = random;
    this.#taken = taken ?? new Symbols(random(8));
    this.#minted = new Symbols(random(8));
  }

  /** An id for the entry at this position of a log with this header id. */
  mint(headerId: string, position: number): string {
    for (let attempt = 0; attempt < ALL_IDS; attempt++) {
      const id = this.#candidate(headerId, position, attempt);
      if (this.#taken.find(id) !== NONE || this.isMinted(id)) continue;
      this.#minted.intern(id);
      return id;
    }
    throw new RangeError('no free id was found');
  }

  isMinted(id: string): boolean {
    return this.#minted.find(id) !== NONE;
  }

  /** An id that is in the file, met on the way. */
  take(id: string): void {
    this.#taken.intern(id);
  }

  #candidate(headerId: string, position: number, attempt: number): string {
    switch (this.#scheme) {
      case 'stable':
        return stableId(headerId, position, attempt);
      case 'sequence':
        this.#count++;
        return this.#count.toString(16).padStart(8, '0');
      case 'random':
        return Buffer.from(this.#random(4)).toString('hex');
    }
  }
}

/** The id that the entry at a position gets in every run, on every machine; a try number tells it from one that is taken. */
export function stableId(headerId: string, position: number, attempt = 0): string {
  const text = attempt === 0 ? `${headerId}\0${position}` : `${headerId}\0${position}\0${attempt}`;
  return hash('sha256', Buffer.from(encodeUtf8(text), 'latin1'), 'hex').slice(0, 8);
}
