/** Digits that a run shares with a hash before the whole of it is looked up. */
const PREFIX = 8;
const HASH_LENGTH = 64;

/**
 * Finds which of some hashes occur anywhere in bytes, in either case and whatever stands around them. For deciding what
 * may be thrown away, so it knows no format and misses nothing.
 */
export class HashSearch {
  readonly found = new Set<string>();
  readonly #wanted: ReadonlySet<string>;
  readonly #prefixes: ReadonlySet<string>;
  #carried = '';

  constructor(wanted: Iterable<string>) {
    this.#wanted = new Set(wanted);
    this.#prefixes = new Set([...this.#wanted].map((hash) => hash.slice(0, PREFIX)));
  }

  /** The next piece of a file. */
  feed(bytes: Buffer): void {
    this.look(this.#carried + bytes.toString('latin1'));
    const tail = /[0-9a-fA-F]{0,63}$/.exec(bytes.subarray(-(HASH_LENGTH - 1)).toString('latin1'))?.[0] ?? '';
    // Pieces may be shorter than a hash.
    this.#carried = tail.length === bytes.length ? (this.#carried + tail).slice(-(HASH_LENGTH - 1)) : tail;
  }

  /** The file is over: what comes next does not continue it. */
  end(): void {
    this.#carried = '';
  }

  look(text: string): void {
    for (const match of text.matchAll(/[0-9a-fA-F]{64,}/g)) {
      const run = match[0].toLowerCase();
      for (let at = 0; at + HASH_LENGTH <= run.length; at++) {
        if (!this.#prefixes.has(run.slice(at, at + PREFIX))) continue;
        const hash = run.slice(at, at + HASH_LENGTH);
        if (this.#wanted.has(hash)) this.found.add(hash);
      }
    }
  }
}
