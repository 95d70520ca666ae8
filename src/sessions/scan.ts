import { BYTE_ORDER_MARK, readContent } from '../entries/damage.ts';
import { isHeader, isTitleSlot, versionOf } from '../entries/envelope-check.ts';
import { readWhole } from '../files/input.ts';
import { isDatabase, openUnpacked } from '../files/unpack.ts';
import { isPacked } from '../files/zstd.ts';
import { Detection, type Identity, requireFit, requireReadable } from '../formats/index.ts';
import { isObject, type JsonObject, parseObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { Block, linesIn, readBlocks } from '../lines/reader.ts';
import { type ByteStore, inMemory, type Scratch } from '../log/byte-store.ts';
import { nativeForm } from '../log/native-form.ts';
import { logSource } from '../log/open-log.ts';
import type { Io } from '../util/io.ts';
import type { Prefilter } from './prefilter.ts';

/** A file up to this size is read at once. */
const READ_AT_ONCE = 4 * 1024 * 1024;
/** Of a log of another agent all lines that may match are held until it is converted. */
const MOST_CONVERTED = 32 * 1024 * 1024;
/** A longer first line may be a document. */
const LONGEST_FIRST_LINE = 1024 * 1024;

export interface Visitor {
  /** An entry in which there may be a match, and its line in the file; false where no more is wanted. */
  entry(value: JsonObject, line: number): boolean;
  /** Called now and then, for what takes its time. */
  pause(): Promise<void>;
}

export interface Scanned {
  /** Lines that are damaged, as far as there may be a match in them. */
  readonly damaged: number;
}

export type ScanIo = Pick<Io, 'stdin' | 'random' | 'signal'>;

/** Reads logs only for the entries that may have a match: nothing is indexed, and no other line is parsed. */
export class LogScanner {
  readonly #prefilter: Prefilter | undefined;
  readonly #io: ScanIo;
  readonly #memory = Buffer.allocUnsafeSlow(READ_AT_ONCE);

  constructor(prefilter: Prefilter | undefined, io: ScanIo) {
    this.#prefilter = prefilter;
    this.#io = io;
  }

  /** Shows the entries in the order of the lines. Undefined for a log that has to be opened as a whole: it shows none. */
  async scan(path: string, visitor: Visitor): Promise<Scanned | undefined> {
    const store = await this.#open(path);
    try {
      if (store.database) return undefined;
      if (!(await this.#mayMatch(store))) return { damaged: 0 };
      const kind = await kindOf(path, store);
      if (kind === 'native') return await this.#native(store, visitor);
      if (kind === 'unknown' || (store.size ?? 0) > MOST_CONVERTED) return undefined;
      return await this.#converted(path, store, kind, visitor);
    } finally {
      await store.close();
    }
  }

  async #open(path: string): Promise<ByteStore> {
    const whole = readWhole(path, this.#memory);
    if (whole && !isPacked(whole) && !isDatabase(whole)) return inMemory(whole);
    return await openUnpacked(path, { ...this.#io, note: () => {} });
  }

  /** Most files have no match, which their bytes show sooner than their records do. */
  async #mayMatch(store: ByteStore): Promise<boolean> {
    if (!this.#prefilter) return true;
    // A match may lie across two chunks.
    let rest = Buffer.alloc(0);
    for await (const chunk of store.chunks()) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      if (this.#prefilter.finder(bytes)(0) >= 0) return true;
      rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - this.#prefilter.length)));
    }
    return false;
  }

  async #native(store: ByteStore, visitor: Visitor): Promise<Scanned> {
    let damaged = 0;
    for await (const piece of readBlocks(store.chunks())) {
      for (const line of piece instanceof Block ? this.#linesOf(piece) : [piece]) {
        const { damage, objects } = readContent(line, 3);
        const value = objects[0]?.value;
        if (damage !== undefined) damaged++;
        else if (value && !visitor.entry(value, line.number)) return { damaged };
      }
      await visitor.pause();
    }
    return { damaged };
  }

  async #converted(path: string, store: ByteStore, kind: Identity, visitor: Visitor): Promise<Scanned> {
    let found: Line[] = [];
    const { random } = this.#io;
    // Files beside it are searched by themselves.
    const form = await nativeForm(logSource(store, { name: path, random }), requireReadable(path, kind.format), {
      ...{ dialect: 'pi', keep: 'meta', onWarning: () => {} },
      scratch: () => {
        found = [];
        return this.#sieve(found);
      },
    });
    requireFit(path, kind, form.report);
    for (const { number, text } of found) {
      const value = parseObject(text);
      if (value && !visitor.entry(value, form.lineOf(number + form.head.length))) break;
    }
    await visitor.pause();
    return { damaged: form.damage.length };
  }

  /** Keeps the lines that may match, and nothing else. */
  #sieve(found: Line[]): Scratch {
    let rest = Buffer.alloc(0);
    let number = 1;
    const take = (block: Block): void => {
      found.push(...this.#linesOf(block));
      number += block.lines;
    };
    return {
      write: (bytes) => {
        const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
        const end = all.lastIndexOf(0x0a) + 1;
        take(new Block(all.subarray(0, end), number, 0));
        rest = Buffer.from(all.subarray(end));
      },
      store: async () => {
        found.push(...linesIn(rest, number));
        return inMemory(Buffer.alloc(0));
      },
      discard: () => {},
    };
  }

  /** The lines of a block that may match. */
  *#linesOf(block: Block): Generator<Line> {
    if (!this.#prefilter) {
      yield* block.split();
      return;
    }
    const { bytes } = block;
    const next = this.#prefilter.finder(bytes);
    let { number } = block;
    let start = 0;
    for (let at = next(0); at >= 0; at = next(start)) {
      let end = bytes.indexOf(0x0a, start);
      for (; end < at; end = bytes.indexOf(0x0a, start)) {
        start = end + 1;
        number++;
      }
      yield block.line(start, end - start, number);
      start = end + 1;
      number++;
    }
  }
}

/** What a log is, by its first lines: 'native' of the latest version with its header in front, or of another agent. */
async function kindOf(path: string, store: ByteStore): Promise<Identity | 'native' | 'unknown'> {
  const detection = new Detection(path, { named: false });
  for await (const line of firstLines(store)) {
    if (line.length > LONGEST_FIRST_LINE || line.raw.startsWith(BYTE_ORDER_MARK)) return 'unknown';
    detection.pass([line]);
    if (detection.identity) return detection.identity;
    if (detection.open && !(isObject(line.json) && isTitleSlot(line.json)))
      return isObject(line.json) && isLatestHeader(line.json) ? 'native' : 'unknown';
  }
  detection.end();
  return detection.identity ?? 'unknown';
}

function isLatestHeader(value: JsonObject): boolean {
  return isHeader(value) && versionOf(value).version === 3;
}

async function* firstLines(store: ByteStore): AsyncGenerator<Line> {
  for await (const piece of readBlocks(store.chunks())) {
    if (!(piece instanceof Block)) yield piece;
    else {
      for (let start = 0, { number } = piece; start < piece.bytes.length; number++) {
        const end = piece.bytes.indexOf(0x0a, start);
        yield piece.line(start, end - start, number);
        start = end + 1;
      }
    }
  }
}
