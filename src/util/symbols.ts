import { int32Column, type NumberColumn, uint32Column } from './column.ts';
import { AppError } from './errors.ts';
import { KeyedHash } from './keyed-hash.ts';

/** Returned by `find` for an unknown text. */
export const NONE = -1;

const PAGE_BITS = 20;
const PAGE = 1 << PAGE_BITS;
/** Most logs are small, so the first page is small. */
const FIRST_PAGE = 1 << 14;
/** In the first byte of a text: its length is in the next four bytes. */
const LONG = 0xff;
const MAX_BYTES = 2 ** 32;
/** Texts up to this length, such as ids, are encoded character by character. */
const SHORT = 64;
const LARGE_TABLE = 1 << 20;
const RECENT_BITS = 8;
const LONGEST_RECENT = 256;

/** A cache of recent texts: a conversion looks up the same few many times. */
class RecentTexts {
  readonly #texts: (string | undefined)[] = new Array(1 << RECENT_BITS).fill(undefined);
  readonly #symbols = new Int32Array(1 << RECENT_BITS).fill(NONE);
  /** By the last bits of a symbol: the slot that it was stored in last. */
  readonly #slots = new Uint8Array(1 << RECENT_BITS);

  symbolOf(text: string): number {
    const slot = slotOf(text);
    return this.#texts[slot] === text ? (this.#symbols[slot] as number) : NONE;
  }

  textOf(symbol: number): string | undefined {
    const slot = this.#slots[symbol & ((1 << RECENT_BITS) - 1)] as number;
    return this.#symbols[slot] === symbol ? this.#texts[slot] : undefined;
  }

  keep(text: string, symbol: number): void {
    if (symbol === NONE || text.length > LONGEST_RECENT) return;
    const slot = slotOf(text);
    this.#texts[slot] = text;
    this.#symbols[slot] = symbol;
    this.#slots[symbol & ((1 << RECENT_BITS) - 1)] = slot;
  }
}

/** Hashes a few characters: random ids differ in all of them, counted ones at the end. */
function slotOf(text: string): number {
  const end = text.length;
  const sum =
    text.charCodeAt(0) * 7 + text.charCodeAt(1) * 31 + text.charCodeAt(end - 2) * 43 + text.charCodeAt(end - 1);
  return (sum ^ (sum >> RECENT_BITS)) & ((1 << RECENT_BITS) - 1);
}

/**
 * Maps texts to small numbers, in order of first use: the ids of a log, of which there may be millions. A text takes
 * its bytes and about 16 more. Text that is not Latin-1 is stored as UTF-16, which the last bit of its length shows.
 */
export class Symbols {
  readonly #hash: KeyedHash;
  readonly #hashes = int32Column();
  /** Where a text starts: its page number times PAGE, plus the offset in the page. */
  readonly #starts = uint32Column();
  /** A slot has a symbol and, in the unused bits, part of its hash. */
  #table = new Int32Array(64).fill(NONE);
  /** The slot for the last text that was searched and not found. */
  #free = 0;
  readonly #pages: Buffer[] = [];
  #used = 0;
  #last = NONE;
  #scratch = Buffer.allocUnsafe(256);
  readonly #recent = new RecentTexts();

  /** `key` is 8 random bytes. */
  constructor(key: Uint8Array) {
    this.#hash = new KeyedHash(key);
  }

  get size(): number {
    return this.#hashes.size;
  }

  /** The number of a text; a new one if it was not seen before. */
  intern(text: string): number {
    const recent = this.#recent.symbolOf(text);
    if (recent !== NONE) return recent;
    const isWide = this.#encode(text);
    const symbol = this.internBytes(this.#scratch, 0, text.length * (isWide ? 2 : 1), isWide);
    this.#recent.keep(text, symbol);
    return symbol;
  }

  /** The same for bytes in Latin-1 or UTF-16. */
  internBytes(bytes: Uint8Array, start: number, end: number, isWide = false): number {
    // Most entries name the entry before them, and most results the call before them.
    if (this.#last !== NONE && this.#isText(this.#last, bytes, start, end, isWide)) return this.#last;
    this.#last = this.#lookUp(bytes, start, end, isWide);
    return this.#last;
  }

  /** NONE if the text was not seen. */
  find(text: string): number {
    const recent = this.#recent.symbolOf(text);
    if (recent !== NONE) return recent;
    const isWide = this.#encode(text);
    const end = text.length * (isWide ? 2 : 1);
    const symbol = this.#search(this.#hash.of(this.#scratch, 0, end), this.#scratch, 0, end, isWide);
    this.#recent.keep(text, symbol);
    return symbol;
  }

  text(symbol: number): string {
    return this.#recent.textOf(symbol) ?? this.#read(symbol);
  }

  #read(symbol: number): string {
    const start = this.#starts.at(symbol);
    const page = this.#pages[start >>> PAGE_BITS] as Buffer;
    const at = start & (PAGE - 1);
    const from = at + (page[at] === LONG ? 5 : 1);
    const head = headAt(page, at);
    return page.toString(head % 2 === 0 ? 'latin1' : 'utf16le', from, from + Math.floor(head / 2));
  }

  #lookUp(bytes: Uint8Array, start: number, end: number, isWide: boolean): number {
    const hash = this.#hash.of(bytes, start, end);
    const known = this.#search(hash, bytes, start, end, isWide);
    if (known !== NONE) return known;
    const symbol = this.size;
    this.#table[this.#free] = (hash & ~(this.#table.length - 1)) | symbol;
    this.#hashes.push(hash);
    this.#starts.push(this.#keep(bytes, start, end, isWide));
    if (symbol * 4 > this.#table.length * 3) this.#grow();
    return symbol;
  }

  /** Writes the text to the scratch buffer; true if it takes two bytes per character. */
  #encode(text: string): boolean {
    if (this.#scratch.length < text.length * 2) this.#scratch = Buffer.alloc(text.length * 4);
    if (text.length <= SHORT && this.#encodeShort(text)) return false;
    const isWide = /[^\u0000-\u00ff]/.test(text);
    this.#scratch.write(text, isWide ? 'utf16le' : 'latin1');
    return isWide;
  }

  /** Faster than Buffer.write for a short text; false if it takes two bytes per character. */
  #encodeShort(text: string): boolean {
    let bits = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      bits |= code;
      this.#scratch[at] = code;
    }
    return bits <= 0xff;
  }

  #search(hash: number, bytes: Uint8Array, start: number, end: number, isWide: boolean): number {
    const mask = this.#table.length - 1;
    let slot = hash & mask;
    for (let held = this.#table[slot] as number; held !== NONE; held = this.#table[slot] as number) {
      if (((held ^ hash) & ~mask) === 0 && this.#isText(held & mask, bytes, start, end, isWide)) return held & mask;
      slot = (slot + 1) & mask;
    }
    this.#free = slot;
    return NONE;
  }

  #isText(symbol: number, bytes: Uint8Array, start: number, end: number, isWide: boolean): boolean {
    const place = this.#starts.at(symbol);
    const page = this.#pages[place >>> PAGE_BITS] as Buffer;
    const at = place & (PAGE - 1);
    if (headAt(page, at) !== (end - start) * 2 + (isWide ? 1 : 0)) return false;
    const shift = at + (page[at] === LONG ? 5 : 1) - start;
    for (let byte = start; byte < end; byte++) if (page[byte + shift] !== bytes[byte]) return false;
    return true;
  }

  #keep(bytes: Uint8Array, start: number, end: number, isWide: boolean): number {
    const length = end - start;
    const page = this.#pageFor(length + 5);
    const place = (this.#pages.length - 1) * PAGE + this.#used;
    if (place >= MAX_BYTES) throw new AppError('more than 4 GB of ids are in this log; it cannot be indexed');
    const head = length * 2 + (isWide ? 1 : 0);
    if (head < LONG) page[this.#used++] = head;
    else {
      page[this.#used] = LONG;
      page.writeUInt32LE(head, this.#used + 1);
      this.#used += 5;
    }
    const shift = this.#used - start;
    for (let byte = start; byte < end; byte++) page[byte + shift] = bytes[byte] as number;
    this.#used += length;
    return place;
  }

  #pageFor(bytes: number): Buffer {
    const last = this.#pages.at(-1);
    if (last && this.#used + bytes <= last.length && this.#used < PAGE) return last;
    const page = Buffer.allocUnsafeSlow(Math.max(last ? PAGE : FIRST_PAGE, bytes));
    this.#pages.push(page);
    this.#used = 0;
    return page;
  }

  #grow(): void {
    // A small table grows faster: to fill a new one takes longer than anything else that is done with it.
    this.#table = new Int32Array(this.#table.length * (this.#table.length < LARGE_TABLE ? 4 : 2)).fill(NONE);
    const mask = this.#table.length - 1;
    for (let symbol = 0; symbol < this.size; symbol++) {
      const hash = this.#hashes.at(symbol);
      let slot = hash & mask;
      while (this.#table[slot] !== NONE) slot = (slot + 1) & mask;
      this.#table[slot] = (hash & ~mask) | symbol;
    }
  }
}

/** Numbers by symbol; NONE by default. */
export class Cells {
  readonly #column: NumberColumn;

  constructor(column: NumberColumn = int32Column()) {
    this.#column = column;
  }

  get isEmpty(): boolean {
    return this.#column.size === 0;
  }

  get(symbol: number): number {
    return symbol !== NONE && symbol < this.#column.size ? this.#column.at(symbol) : NONE;
  }

  set(symbol: number, value: number): void {
    while (this.#column.size <= symbol) this.#column.push(NONE);
    this.#column.set(symbol, value);
  }
}

/** Twice the length of a text in bytes, plus 1 if it is UTF-16. */
function headAt(page: Buffer, at: number): number {
  return page[at] === LONG ? page.readUInt32LE(at + 1) : (page[at] as number);
}
