import { isUtf8 } from 'node:buffer';
import { parseExact } from '../json/exact.ts';
import type { JsonObject } from '../json/value.ts';
import { type LogSource, type OnDamage, type SourceRecord, sourceRecord } from './format.ts';

/** Longer pieces are not held in memory. */
const LONGEST_PIECE = 256 * 1024 * 1024;
/** Room for a key in front of a list. */
const LONGEST_KEY = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A member of the document, or an element of its list. */
interface DocumentPiece {
  readonly isElement: boolean;
  /** Undefined for a piece that is too long. */
  readonly bytes: Buffer | undefined;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

/**
 * The records of one JSON document, however long it is: first the document without its list, then the elements of the
 * list, one at a time. A document that is the list itself has an empty first record. The first record has members
 * before and after the list, so the source is read twice; `chunks` are its bytes for the second time.
 */
export async function* readDocument(
  source: Pick<LogSource, 'chunks' | 'willRead'>,
  chunks: AsyncIterable<Uint8Array>,
  list: string,
  onDamage: OnDamage,
): AsyncGenerator<Iterable<SourceRecord>> {
  source.willRead?.(2);
  const header: JsonObject = {};
  for await (const piece of piecesOf(source.chunks(), list, () => {})) {
    if (piece.isElement) continue;
    const member = objectIn(piece, ['{', '}']);
    if (member) Object.assign(header, member);
    else onDamage(piece.line, damageOf(piece), 1);
  }
  yield [sourceRecord(header, 1)];
  for await (const piece of piecesOf(chunks, list, onDamage)) {
    if (!piece.isElement) continue;
    const value = objectIn(piece, ['', '']);
    const { offset, length } = piece;
    if (value) yield [{ value, line: piece.line, offset, length, textsBefore: 0 }];
    else onDamage(piece.line, damageOf(piece), 1);
  }
}

function objectIn({ bytes }: DocumentPiece, [open, close]: readonly [string, string]): JsonObject | undefined {
  return bytes && isUtf8(bytes) ? parseExact(`${open}${bytes.toString('utf8')}${close}`) : undefined;
}

function damageOf({ bytes }: DocumentPiece): string {
  if (!bytes) return 'oversize-line';
  return isUtf8(bytes) ? 'not-json' : 'invalid-utf8';
}

/** Cuts a document at the commas of its object and of its list, by its brackets and strings alone. */
async function* piecesOf(
  chunks: AsyncIterable<Uint8Array>,
  list: string,
  onDamage: OnDamage,
): AsyncGenerator<DocumentPiece, void> {
  const cutter = new Cutter(list);
  for await (const chunk of chunks) yield* cutter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  const { damage } = cutter;
  if (damage) onDamage(damage.line, damage.rule, damage.records);
}

class Cutter {
  readonly #listKey: RegExp;
  #depth = 0;
  /** The depth whose commas separate pieces. */
  #unit = 1;
  #isList = false;
  #isInString = false;
  #isEscaped = false;
  #line = 1;
  /** Of the chunk. */
  #offset = 0;
  /** The start of the piece, from earlier chunks. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Where the piece begins after white space; line 0 as long as there is nothing else. */
  #start = { line: 0, offset: 0 };
  #isOver = false;
  #garbageLine = 0;

  constructor(list: string) {
    this.#listKey = new RegExp(`^[\\s\ufeff]*${JSON.stringify(list)}\\s*:\\s*$`);
  }

  /** What is wrong with the end of the document. */
  get damage(): { readonly line: number; readonly rule: string; readonly records: number } | undefined {
    if (this.#garbageLine > 0) return { line: this.#garbageLine, rule: 'not-json', records: 1 };
    if (this.#isOver) return undefined;
    return { line: this.#start.line || this.#line, rule: 'torn-line', records: this.#start.line > 0 ? 1 : 0 };
  }

  *push(chunk: Buffer): Generator<DocumentPiece, void, void> {
    /** Where the piece continues in this chunk. */
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#isInString) {
        at = this.#skipString(chunk, at);
        continue;
      }
      const byte = chunk[at] as number;
      if (byte === 0x0a) this.#line++;
      if (byte <= 0x20) continue;
      if (this.#isOver) {
        this.#garbageLine ||= this.#line;
        continue;
      }
      const ends = byte === 0x7d || byte === 0x5d;
      if (this.#depth === this.#unit && (byte === 0x2c || ends)) {
        yield* this.#piece(chunk, from, at);
        from = at + 1;
        if (ends) this.#close();
        continue;
      }
      if (this.#depth > 0 && this.#start.line === 0) {
        this.#start = { line: this.#line, offset: this.#offset + at };
        from = at;
      }
      if (byte === QUOTE) this.#isInString = true;
      else if (ends) this.#depth--;
      else if (byte === 0x7b || byte === 0x5b) {
        if (this.#opens(byte === 0x5b, chunk, from, at)) {
          this.#begin();
          from = at + 1;
        }
        this.#depth++;
      }
    }
    if (this.#start.line > 0) this.#hold(chunk, from, chunk.length);
    this.#offset += chunk.length;
  }

  /** Where the string ends, or the chunk. */
  #skipString(chunk: Buffer, start: number): number {
    let at = start;
    if (this.#isEscaped) at++;
    this.#isEscaped = false;
    for (;;) {
      const quote = chunk.indexOf(QUOTE, at);
      const end = quote < 0 ? chunk.length : quote;
      let slashes = 0;
      while (end - 1 - slashes >= at && chunk[end - 1 - slashes] === BACKSLASH) slashes++;
      if (quote < 0) {
        this.#isEscaped = slashes % 2 === 1;
        return end;
      }
      if (slashes % 2 === 0) {
        this.#isInString = false;
        return quote;
      }
      at = quote + 1;
    }
  }

  /** Whether pieces begin after this bracket: that of the document, or that of its list. */
  #opens(isArray: boolean, chunk: Buffer, from: number, at: number): boolean {
    if (this.#depth === 0) {
      this.#isList = isArray;
      return true;
    }
    if (this.#depth !== 1 || this.#isList || !isArray || this.#heldBytes + at - from > LONGEST_KEY) return false;
    const before = Buffer.concat([...this.#held, chunk.subarray(from, at)]).toString('latin1');
    if (!this.#listKey.test(before)) return false;
    this.#unit = 2;
    return true;
  }

  #close(): void {
    this.#depth--;
    this.#isOver = this.#depth === 0;
    this.#unit = 1;
  }

  #begin(): void {
    this.#held = [];
    this.#heldBytes = 0;
    this.#start = { line: 0, offset: 0 };
  }

  /** The piece that ends here, unless it is blank. */
  *#piece(chunk: Buffer, from: number, end: number): Generator<DocumentPiece, void, void> {
    const { line, offset } = this.#start;
    if (line > 0) {
      const isLong = this.#heldBytes + end - from > LONGEST_PIECE;
      const bytes = isLong ? undefined : Buffer.concat([...this.#held, chunk.subarray(from, end)]);
      yield { isElement: this.#isList || this.#unit === 2, bytes, line, offset, length: this.#offset + end - offset };
    }
    this.#begin();
  }

  #hold(chunk: Buffer, from: number, end: number): void {
    this.#heldBytes += end - from;
    if (this.#heldBytes > LONGEST_PIECE) this.#held = [];
    else this.#held.push(Buffer.from(chunk.subarray(from, end)));
  }
}
