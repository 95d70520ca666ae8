import { isUtf8 } from 'node:buffer';
import { AppError } from '../base/errors.ts';
import { readContent } from '../entries/damage.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { Line } from '../lines/line.ts';
import type { ByteStore } from '../log/byte-store.ts';
import type { IndexBuilder } from '../log/index-builder.ts';
import type { LogIndex } from '../log/log-index.ts';
import type { LeftOut, LogEntry, Session } from './session.ts';

/** Entries that lie near each other are read in one go, up to this many bytes. */
const READ_TOGETHER = 1024 * 1024;
/** To read what lies between two of them and is not wanted costs less than another read, up to this many bytes. */
const MOST_BETWEEN = 16 * 1024;

interface Part {
  readonly positions: readonly number[];
  readonly start: number;
  readonly end: number;
}

interface LoadedPart extends Part {
  /** Those from start to end, and whatever was there before behind them. */
  readonly bytes: Buffer;
}

/** A session whose entries are read from its store whenever they are asked for. */
export class StoredSession implements Session {
  readonly name: string;
  readonly header: JsonObject | undefined;
  readonly version: number;
  readonly fileVersion: number;
  readonly headerText: string | undefined;
  readonly titleSlot: JsonObject | undefined;
  readonly titleSlotText: string | undefined;
  readonly endsWithNewline: boolean;
  readonly headerLines: readonly number[];
  readonly index: LogIndex;
  /** Hears how many bytes of entries were read. */
  onRead: ((bytes: number) => void) | undefined;
  readonly #store: ByteStore;
  readonly #damage: LeftOut[];
  /** The lines of the above. */
  readonly #damaged: Set<number>;
  #isSorted = true;

  constructor(name: string, store: ByteStore, builder: IndexBuilder, version: number) {
    this.name = name;
    this.header = builder.header;
    this.headerText = builder.headerText;
    this.titleSlot = builder.titleSlot;
    this.titleSlotText = builder.titleSlotText;
    this.endsWithNewline = builder.endsWithNewline;
    this.headerLines = builder.headerLines;
    this.index = builder.index;
    this.version = 3;
    this.fileVersion = version;
    this.#damage = builder.damage;
    this.#damaged = new Set(builder.damage.map(({ line }) => line));
    this.#store = store;
  }

  get damage(): readonly LeftOut[] {
    // Sorted when somebody asks: a log may have a million lines that only the reading shows to be damaged.
    if (!this.#isSorted) this.#damage.sort((a, b) => a.line - b.line);
    this.#isSorted = true;
    return this.#damage;
  }

  async entry(position: number): Promise<LogEntry> {
    for await (const entry of this.entries([position])) return entry;
    const line = this.index.lineOf(position);
    const rule = this.#damage.find((one) => one.line === line)?.rule;
    throw new AppError(`${this.name}: line ${line} is damaged (${rule}); run 'sessionctl repair' first, or choose another entry`);
  }

  async *entries(positions: Iterable<number>): AsyncGenerator<LogEntry, void, void> {
    for await (const { positions: loaded, start, bytes } of this.#loaded(positions)) {
      for (const position of loaded) {
        const entry = this.#parse(position, bytes, start);
        if (entry) yield entry;
      }
    }
  }

  async forEachEntry(positions: Iterable<number>, visit: (entry: LogEntry) => void): Promise<void> {
    for await (const { positions: loaded, start, bytes } of this.#loaded(positions)) {
      for (const position of loaded) {
        const entry = this.#parse(position, bytes, start);
        if (entry) visit(entry);
      }
    }
  }

  /** Parts with their bytes, which are gone when the next one is asked for. While one is looked at, the next is read. */
  async *#loaded(positions: Iterable<number>): AsyncGenerator<LoadedPart, void, void> {
    const parts = this.#parts(positions);
    /** For this part and for the next one, in turns; what has grown is kept. */
    const memory: [Buffer, Buffer] = [Buffer.alloc(0), Buffer.alloc(0)];
    let turn: 0 | 1 = 0;
    let part = parts.next().value;
    let reading = part && this.#load(part, memory[turn]);
    try {
      while (part && reading) {
        const { positions: loaded, start, end } = part;
        const bytes = await reading;
        memory[turn] = bytes;
        turn = turn === 0 ? 1 : 0;
        part = parts.next().value;
        reading = part && this.#load(part, memory[turn]);
        // It may fail before anybody waits for it.
        reading?.catch(() => {});
        yield { positions: loaded, start, end, bytes };
      }
    } finally {
      // What was read ahead has the memory of the next part, and nobody else looks at it.
      await reading?.catch(() => {});
    }
  }

  /** Positions that are read in one go. */
  *#parts(positions: Iterable<number>): Generator<Part, undefined, void> {
    let together: number[] = [];
    let start = 0;
    let end = 0;
    for (const position of positions) {
      const offset = this.index.offsetOf(position);
      const behind = offset + this.index.lengthOf(position);
      if (together.length > 0 && (offset < end || offset - end > MOST_BETWEEN || behind - start > READ_TOGETHER)) {
        yield { positions: together, start, end };
        together = [];
      }
      if (together.length === 0) start = offset;
      together.push(position);
      end = behind;
    }
    if (together.length > 0) yield { positions: together, start, end };
    return undefined;
  }

  /** The bytes of a part, in the buffer if they fit there. */
  async #load(part: Part, buffer: Buffer): Promise<Buffer> {
    const memory = roomFor(part, buffer);
    this.#requireWhole(part, await this.#store.readAt(exactly(part, memory), part.start));
    return memory;
  }

  #requireWhole({ positions, start, end }: Part, read: number): void {
    if (read < end - start)
      throw new AppError(`${this.name}: became shorter while it was being read; run again when no program is writing to it`);
    this.onRead?.(positions.reduce((bytes, position) => bytes + this.index.lengthOf(position), 0));
  }

  #parse(position: number, bytes: Buffer, start: number): LogEntry | undefined {
    const { index } = this;
    const offset = index.offsetOf(position);
    const from = offset - start;
    const to = from + index.lengthOf(position);
    const number = index.lineOf(position);
    try {
      const text = bytes.toString('utf8', from, to);
      const value: unknown = JSON.parse(text);
      // Bytes that are no UTF-8 become this character.
      const whole = !text.includes('\ufffd') || isUtf8(bytes.subarray(from, to));
      if (isObject(value) && whole) return { position, line: number, offset, text, value };
    } catch {
      // The index took the line for an entry by its envelope alone.
    }
    if (!this.#damaged.has(number)) {
      const line = new Line(number, offset, bytes.toString('latin1', from, to), true, 'invalid');
      this.#damaged.add(number);
      this.#damage.push({ line: number, rule: readContent(line, this.fileVersion).damage ?? 'not-json' });
      this.#isSorted = false;
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#store.close();
  }
}

function isLong({ start, end }: Part): boolean {
  return end - start > READ_TOGETHER / 2;
}

/** The buffer where the part fits, else a larger one. */
function roomFor(part: Part, buffer: Buffer): Buffer {
  const length = part.end - part.start;
  if (buffer.length >= length) return buffer;
  return Buffer.allocUnsafeSlow(isLong(part) ? Math.max(length, READ_TOGETHER) : length * 2);
}

function exactly({ start, end }: Part, memory: Buffer): Buffer {
  return memory.length === end - start ? memory : memory.subarray(0, end - start);
}
