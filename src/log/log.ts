import { isUtf8 } from 'node:buffer';
import { readContent } from '../entries/damage.ts';
import type { ConversionReport, LogFormat } from '../formats/format.ts';
import { envelopeOf } from '../json/envelope.ts';
import { asString, isObject, type JsonObject } from '../json/value.ts';
import { Line } from '../lines/line.ts';
import { LogError } from '../util/errors.ts';
import { readMemory } from '../util/memory.ts';
import type { ByteStore } from './byte-store.ts';
import type { IndexBuilder } from './index-builder.ts';
import type { LeftOut, LogEntry } from './log-entry.ts';
import type { LogIndex } from './log-index.ts';

/** Entries that lie near each other are read in one go, up to this many bytes. */
const READ_TOGETHER = 1024 * 1024;
/** To read what lies between two of them and is not wanted costs less than another read, up to this many bytes. */
const MOST_BETWEEN = 16 * 1024;
/** At most this many bytes are held while a part of a path is reversed. */
const REVERSED_TOGETHER = 4 * 1024 * 1024;

/** Neighboring entries, and the bytes from the first to the last of them. */
interface Batch {
  readonly positions: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** An open session log: the index in memory; entries are read from the store when they are asked for. */
export class Log {
  /** For messages: the path as the user gave it, '-' for stdin, '' for a log without a name. */
  readonly name: string;
  readonly header: JsonObject | undefined;
  /** The header's line as it is in the log, without the newline. */
  readonly headerText: string | undefined;
  /** Of the entries as they are handed out; older ones are migrated on the way. */
  readonly version = 3;
  /** The version that the file itself has. */
  readonly fileVersion: number;
  /** The title of omp's title slot, where the log has one. */
  readonly titleSlot: JsonObject | undefined;
  /** The slot's line as it is in the log, without the newline. */
  readonly titleSlotText: string | undefined;
  /** Lines of headers and of the title slot, which are no entries, in file order. */
  readonly headerLines: readonly number[];
  /** Positions count entries in file order; headers and the title slot are none. */
  readonly index: LogIndex;
  /** False where the last line has no newline, so that the next append would run into it. True for an empty log. */
  readonly endsWithNewline: boolean;
  /** Called with the number of bytes of entries that were read. */
  onRead: ((bytes: number) => void) | undefined;
  /** What it is made of, for messages: the rows of a session in a database count as lines do. */
  unit: 'line' | 'row' = 'line';
  /** Of another agent's log. */
  format: LogFormat | undefined;
  /** What became of its records. */
  conversion: ConversionReport | undefined;
  /** The ids of its entries that repeat what the log of another session has. */
  replayed: ReadonlySet<string> = new Set();
  readonly #store: ByteStore;
  readonly #damage: LeftOut[];
  /** The lines of the above. */
  readonly #damaged: Set<number>;
  #isSorted = true;

  constructor(name: string, store: ByteStore, builder: IndexBuilder, fileVersion: number) {
    this.name = name;
    this.header = builder.header;
    this.headerText = builder.headerText;
    this.fileVersion = fileVersion;
    this.titleSlot = builder.titleSlot;
    this.titleSlotText = builder.titleSlotText;
    this.headerLines = builder.headerLines;
    this.index = builder.index;
    this.endsWithNewline = builder.endsWithNewline;
    this.#store = store;
    this.#damage = builder.damage;
    this.#damaged = new Set(builder.damage.map(({ line }) => line));
  }

  /** The id by which its agent knows the session; the header of another agent's log is made up. */
  get sessionId(): string | undefined {
    return this.conversion ? this.conversion.session : asString(this.header?.['id']);
  }

  /** Whether a header with an id comes before all entries; agents refuse or overwrite a log without one. */
  get startsWithHeader(): boolean {
    const firstEntry = this.index.size > 0 ? this.index.lineOf(0) : Number.POSITIVE_INFINITY;
    const heads = this.headerLines.filter((line) => line < firstEntry).length - (this.titleSlot ? 1 : 0);
    return typeof this.header?.['id'] === 'string' && heads > 0;
  }

  /** Damaged lines, left out. Damage inside a line may be noticed only when the line is read, so ask at the end. */
  get damage(): readonly LeftOut[] {
    // Sorted on demand: a log may have a million lines whose damage is found only when they are read.
    if (!this.#isSorted) this.#damage.sort((a, b) => a.line - b.line);
    this.#isSorted = true;
    return this.#damage;
  }

  /** Throws AppError for a line that turns out to be damaged. */
  async entry(position: number): Promise<LogEntry> {
    for await (const entry of this.entries([position])) return entry;
    const line = this.index.lineOf(position);
    const rule = this.#damage.find((one) => one.line === line)?.rule;
    const help = `${this.format ? '' : "run 'sessionctl repair' first, or "}choose another entry`;
    throw new LogError(this.name, `${this.unit} ${line} is damaged (${rule}); ${help}`, 'DAMAGED');
  }

  /** In the order asked for; a line that turns out to be damaged is left out and is in `damage`. */
  async *entries(positions: Iterable<number>): AsyncGenerator<LogEntry> {
    for await (const [batch, bytes] of this.#read(positions)) {
      for (const position of batch.positions) {
        const entry = this.#parse(position, bytes, batch.start);
        if (entry) yield entry;
      }
    }
  }

  /** The same entries for who takes each at once, without waiting: half the time of `entries` for small ones. */
  async forEachEntry(positions: Iterable<number>, visit: (entry: LogEntry) => void): Promise<void> {
    for await (const [batch, bytes] of this.#read(positions)) {
      for (const position of batch.positions) {
        const entry = this.#parse(position, bytes, batch.start);
        if (entry) visit(entry);
      }
    }
  }

  /** As `entries`, from the last to the first, read in parts so that the disk is read forwards. */
  async *entriesBackwards(positions: Int32Array): AsyncGenerator<LogEntry> {
    let start: number;
    for (let end = positions.length; end > 0; end = start) {
      start = end - 1;
      let bytes = this.index.lengthOf(positions[start] as number);
      while (start > 0 && bytes < REVERSED_TOGETHER) bytes += this.index.lengthOf(positions[--start] as number);
      const part: LogEntry[] = [];
      for await (const entry of this.entries(positions.subarray(start, end))) part.push(entry);
      yield* part.reverse();
    }
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  /** Batches with their bytes, which are valid until the next one is asked for. */
  async *#read(positions: Iterable<number>): AsyncGenerator<[Batch, Buffer]> {
    let memory: Buffer = Buffer.alloc(0);
    for (const batch of this.#batches(positions)) {
      memory = await this.#load(batch, memory);
      yield [batch, memory];
    }
  }

  *#batches(positions: Iterable<number>): Generator<Batch> {
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
  }

  /** The bytes of a batch, in the buffer if they fit there. */
  async #load({ positions, start, end }: Batch, buffer: Buffer): Promise<Buffer> {
    const length = end - start;
    const memory = buffer.length >= length ? buffer : readMemory(Math.max(length, Math.min(length * 2, READ_TOGETHER)));
    if ((await this.#store.readAt(memory.subarray(0, length), start)) < length) {
      throw new LogError(
        this.name,
        'became shorter while it was being read; run again when no program is writing to it',
        'CHANGED',
      );
    }
    this.onRead?.(positions.reduce((bytes, position) => bytes + this.index.lengthOf(position), 0));
    return memory;
  }

  #parse(position: number, bytes: Buffer, start: number): LogEntry | undefined {
    const offset = this.index.offsetOf(position);
    const from = offset - start;
    const to = from + this.index.lengthOf(position);
    const number = this.index.lineOf(position);
    try {
      const text = bytes.toString('utf8', from, to);
      const value: unknown = JSON.parse(text);
      // Bytes that are no UTF-8 become this character.
      const isWhole = !text.includes('\ufffd') || isUtf8(bytes.subarray(from, to));
      if (isObject(value) && isWhole) return { position, line: number, offset, text, value, ...envelopeOf(value) };
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
}
