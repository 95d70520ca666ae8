import { IdHash } from '../base/id-hash.ts';
import { Column } from './column.ts';

const NONE = -1;
const WIDE = 1;

/**
 * Every id that a log defines or names, as a small number. The texts are kept in one piece of memory beside the table,
 * for a mended entry needs the text of the id that it is to name.
 */
export class Symbols {
  readonly #hash: IdHash;
  readonly #low = new Column((size) => new Int32Array(size));
  readonly #high = new Column((size) => new Int32Array(size));
  /** Where a text starts, times two, and whether it takes two bytes a character. */
  readonly #starts = new Column((size) => new Float64Array(size));
  #table = new Int32Array(2048).fill(NONE);
  #texts = Buffer.alloc(16 * 1024);
  #end = 0;

  /** The key keeps logs from aiming at the table: 8 random bytes. */
  constructor(key: Uint8Array) {
    this.#hash = new IdHash(key);
  }

  get size(): number {
    return this.#low.size;
  }

  /** The number of a text; a new one where it was not seen before. */
  intern(text: string): number {
    const slot = this.#slot(text);
    const found = this.#table[slot] as number;
    if (found !== NONE) return found;
    const symbol = this.#low.size;
    this.#table[slot] = symbol;
    this.#low.push(this.#hash.low);
    this.#high.push(this.#hash.high);
    this.#keep(text);
    if (symbol * 2 > this.#table.length) this.#grow();
    return symbol;
  }

  /** -1 where the text was not seen. */
  find(text: string): number {
    return this.#table[this.#slot(text)] as number;
  }

  text(symbol: number): string {
    const mark = this.#starts.at(symbol);
    const end = symbol + 1 < this.#starts.size ? Math.floor(this.#starts.at(symbol + 1) / 2) : this.#end;
    return this.#texts.toString(mark % 2 === WIDE ? 'utf16le' : 'latin1', Math.floor(mark / 2), end);
  }

  #slot(text: string): number {
    this.#hash.of(text);
    const { low, high } = this.#hash;
    const mask = this.#table.length - 1;
    let slot = low & mask;
    for (;;) {
      const symbol = this.#table[slot] as number;
      // 64 bits under a random key: two ids are not taken for one.
      if (symbol === NONE || (this.#low.at(symbol) === low && this.#high.at(symbol) === high)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #keep(text: string): void {
    // Ids are opaque: half a surrogate pair has to come back as it was.
    const wide = /[^\u0000-\u00ff]/.test(text);
    const bytes = wide ? text.length * 2 : text.length;
    if (this.#end + bytes > this.#texts.length) {
      const larger = Buffer.alloc(Math.max(this.#texts.length * 2, this.#end + bytes));
      this.#texts.copy(larger, 0, 0, this.#end);
      this.#texts = larger;
    }
    this.#starts.push(this.#end * 2 + (wide ? WIDE : 0));
    this.#texts.write(text, this.#end, wide ? 'utf16le' : 'latin1');
    this.#end += bytes;
  }

  #grow(): void {
    const table = new Int32Array(this.#table.length * 2).fill(NONE);
    const mask = table.length - 1;
    for (let symbol = 0; symbol < this.#low.size; symbol++) {
      let slot = this.#low.at(symbol) & mask;
      while (table[slot] !== NONE) slot = (slot + 1) & mask;
      table[slot] = symbol;
    }
    this.#table = table;
  }
}
