import { ABSENT } from '../json/envelope.ts';

/** So many are compared one after the other before the map is asked. */
const FIRST_NAMES = 16;
const LONGEST_NAME = 100;

/** Names as one byte: 0 is none, 255 is any name that came after the first 254, so a log of hostile names costs nothing. */
export class Names {
  static readonly NAMELESS = 255;
  readonly #codes = new Map<string, number>([['', 0]]);
  readonly #names: string[] = [''];
  /** The first names as bytes, for most entries have one of them; undefined where a name is not ASCII. */
  readonly #bytes: (Buffer | undefined)[] = [Buffer.alloc(0)];

  code(name: string): number {
    const known = this.#codes.get(name);
    if (known !== undefined) return known;
    if (this.#names.length >= Names.NAMELESS || name.length > LONGEST_NAME) return Names.NAMELESS;
    const code = this.#names.length;
    // A copy: the name is often a slice that would keep a whole block of the log alive.
    const copy = Buffer.from(name, 'utf16le').toString('utf16le');
    this.#names.push(copy);
    if (code < FIRST_NAMES) this.#bytes.push(/^[\u0000-\u007f]*$/.test(copy) ? Buffer.from(copy, 'latin1') : undefined);
    this.#codes.set(copy, code);
    return code;
  }

  /** The same for a name in ASCII, without making a string of one that is known; a start of ABSENT for none. */
  codeOfBytes(bytes: Buffer, start: number, end: number): number {
    if (start === ABSENT) return 0;
    const length = end - start;
    for (let code = 1; code < this.#bytes.length; code++) {
      const name = this.#bytes[code];
      if (name?.length !== length) continue;
      let at = 0;
      while (at < length && name[at] === bytes[start + at]) at++;
      if (at === length) return code;
    }
    return this.code(bytes.toString('latin1', start, end));
  }

  name(code: number): string {
    return this.#names[code] ?? '';
  }

  /** By code, 1 for each of these names. */
  among(names: ReadonlySet<string>): Uint8Array {
    return Uint8Array.from({ length: Names.NAMELESS + 1 }, (_, code) => (names.has(this.name(code)) ? 1 : 0));
  }
}
