import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject } from '../entries/json-value.ts';
import { MOST_STRINGS, STRING, STRING_FIELDS, STRING_FLAG, type StringExports, stringExports } from '../scanner/strings.ts';
import type { LongString } from './session.ts';

const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** What a character takes that is given by its number. All others take fewer, and so do the halves of a pair. */
const MOST_BYTES = 6;
/** A longer part of a log, which is one line, is read in full. */
const BUFFER_BYTES = 4 * 1024 * 1024;
/** Shorter strings are parsed sooner than looked for. */
const LONG_BYTES = 2560;

/** An entry whose long strings are marks. */
export interface ThinValue {
  readonly value: JsonObject;
  /** By their marks. */
  readonly longs: ReadonlyMap<string, LongString>;
}

/** Reads entries without their long strings: most of the bytes of a log are in strings that a reader shows only the ends of. */
export class ThinReader {
  /** What is to be read has to be in these. */
  readonly buffers: readonly [Buffer, Buffer];
  readonly #find: StringExports['find'];
  readonly #found: Int32Array;

  /** Undefined where the machine cannot run what it needs. */
  static make(bufferBytes = BUFFER_BYTES): ThinReader | undefined {
    const exports = stringExports();
    const at = exports?.reserve(2 * bufferBytes) ?? 0;
    return exports && at > 0 ? new ThinReader(exports, at, bufferBytes) : undefined;
  }

  constructor(exports: StringExports, at: number, bufferBytes: number) {
    const { buffer } = exports.memory;
    this.buffers = [Buffer.from(buffer, at, bufferBytes), Buffer.from(buffer, at + bufferBytes, bufferBytes)];
    this.#found = new Int32Array(buffer, exports.foundAt(), MOST_STRINGS * STRING_FIELDS);
    this.#find = exports.find;
  }

  /** The entry in the line from `from` to `to`; undefined where it has no long strings or has to be read in full to be sure. */
  read(bytes: Buffer, from: number, to: number): ThinValue | undefined {
    if ((bytes !== this.buffers[0] && bytes !== this.buffers[1]) || to >= bytes.length) return undefined;
    // Behind the last line that was read stands anything.
    bytes[to] = NEWLINE;
    const base = bytes.byteOffset;
    const count = this.#find(base + from, base + to, LONG_BYTES);
    if (count <= 0 || !isUtf8(bytes.subarray(from, to))) return undefined;
    const longs = new Map<string, LongString>();
    let text = '';
    let done = from;
    for (let at = 0; at < count; at++) {
      const long = this.#longAt(at * STRING_FIELDS, bytes, base);
      const before = bytes.toString('utf8', done, long.start);
      if (before.includes(ESCAPED_NUL)) return undefined;
      text += `${before}${ESCAPED_NUL}${at}`;
      longs.set(`${NUL}${at}`, long);
      done = long.end;
    }
    const rest = bytes.toString('utf8', done, to);
    if (rest.includes(ESCAPED_NUL)) return undefined;
    const value: unknown = JSON.parse(text + rest);
    return isObject(value) ? { value, longs } : undefined;
  }

  #longAt(record: number, bytes: Buffer, base: number): StoredString {
    const found = this.#found;
    const start = (found[record + STRING.start] as number) - base;
    return new StoredString(
      bytes,
      start,
      start + (found[record + STRING.length] as number),
      found[record + STRING.characters] as number,
      found[record + STRING.newlines] as number,
      found[record + STRING.flags] as number,
    );
  }
}

/** Marks start with it. A string can hold it only by this escape, so a line without the escape cannot hold what looks like a mark. */
const NUL = '\u0000';
const ESCAPED_NUL = '\\u0000';

/** The content of a string in the bytes of a line, known to be sound. */
class StoredString implements LongString {
  readonly #bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly characters: number;
  readonly newlines: number;
  readonly #flags: number;

  constructor(bytes: Buffer, start: number, end: number, characters: number, newlines: number, flags: number) {
    this.#bytes = bytes;
    this.start = start;
    this.end = end;
    this.characters = characters;
    this.newlines = newlines;
    this.#flags = flags;
  }

  get hasCodes(): boolean {
    return (this.#flags & STRING_FLAG.codes) !== 0;
  }

  whole(): string {
    return this.#text(this.start, this.end);
  }

  first(characters: number): string {
    const text = this.#until(characters + (characters >> 3));
    return text.length < characters ? this.#until(characters * MOST_BYTES) : text;
  }

  last(characters: number): string {
    const text = this.#since(characters + (characters >> 3));
    return text.length < characters ? this.#since(characters * MOST_BYTES) : text;
  }

  #until(bytes: number): string {
    return this.#text(this.start, this.#boundary(this.start + bytes));
  }

  #since(bytes: number): string {
    return this.#text(this.#boundary(this.end - bytes), this.end);
  }

  /** The next place from here on where a character or an escape begins. */
  #boundary(place: number): number {
    if (place <= this.start) return this.start;
    if (place >= this.end) return this.end;
    const bytes = this.#bytes;
    for (let at = place - 1; at >= this.start && place - at < MOST_BYTES; at--) {
      if (bytes[at] !== BACKSLASH) continue;
      let before = at;
      while (before > this.start && bytes[before - 1] === BACKSLASH) before--;
      // Of backslashes in a row every other one is escaped by the one before it.
      if ((at - before) % 2 === 1) break;
      const end = at + (bytes[at + 1] === LETTER_U ? MOST_BYTES : 2);
      if (end >= place) return end;
      break;
    }
    let at = place;
    while (at < this.end && ((bytes[at] as number) & 0xc0) === 0x80) at++;
    return at;
  }

  #text(start: number, end: number): string {
    if ((this.#flags & STRING_FLAG.plain) !== 0) return this.#bytes.toString('latin1', start, end);
    return JSON.parse(`"${this.#bytes.toString('utf8', start, end)}"`) as string;
  }
}
