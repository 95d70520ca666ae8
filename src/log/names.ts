const LONGEST_NAME = 100;

/** Names as one byte: 0 is none, 255 is any name that came after the first 254, so a log of hostile names costs nothing. */
export class Names {
  static readonly NAMELESS = 255;
  readonly #codes = new Map<string, number>([['', 0]]);
  readonly #names: string[] = [''];

  code(name: string): number {
    const known = this.#codes.get(name);
    if (known !== undefined) return known;
    if (this.#names.length >= Names.NAMELESS || name.length > LONGEST_NAME) return Names.NAMELESS;
    // A copy: the name is often a slice that would keep a whole block of the log alive.
    const copy = Buffer.from(name, 'utf16le').toString('utf16le');
    this.#codes.set(copy, this.#names.push(copy) - 1);
    return this.#names.length - 1;
  }

  name(code: number): string {
    return this.#names[code] ?? '';
  }
}
