import { BYTE_ORDER_MARK, readContent } from '../entries/damage.ts';
import { isHeader, isTitleSlot, versionOf } from '../entries/envelope-check.ts';
import { readWhole } from '../files/input.ts';
import { isDatabase, openUnpacked } from '../files/unpack.ts';
import { isPacked } from '../files/zstd.ts';
import type { ConversionReport, NativeSink } from '../formats/format.ts';
import { Detection, type Identity, requireFit, requireReadable } from '../formats/index.ts';
import { othersInside } from '../formats/sessions.ts';
import { isObject, type JsonObject, parseObject } from '../json/value.ts';
import { decodeUtf8, type Line, textOf } from '../lines/line.ts';
import { LineBlock, readBlocks } from '../lines/reader.ts';
import { type ByteStore, inMemory } from '../log/byte-store.ts';
import { logSource } from '../log/open-log.ts';
import type { Io } from '../util/io.ts';
import { readMemory } from '../util/memory.ts';
import type { Prefilter } from './prefilter.ts';

/** A file up to this size is read at once. */
const READ_AT_ONCE = 4 * 1024 * 1024;
/** What is found in another agent's log is held in memory until it is read to the end. */
const MOST_CONVERTED = 32 * 1024 * 1024;
/** A longer first line may be a document. */
const LONGEST_FIRST_LINE = 1024 * 1024;

export interface Visitor<Found> {
  /** What is found in an entry, given its line in the file. */
  find(entry: JsonObject, line: number): readonly Found[];
  /** Called with all that is found, in the order of the lines; false stops the scan. */
  accept(found: Found): boolean;
  /** Called between blocks, to wait for the output. */
  pause(): Promise<void>;
}

interface Scanned {
  /** Damaged lines that may have a match. */
  readonly damaged: number;
  /** Of another agent's log. */
  readonly report?: ConversionReport | undefined;
}

export type ScanIo = Pick<Io, 'stdin' | 'random' | 'signal'>;

/** Reads logs only for the entries that may have a match: nothing is indexed, and no other line is parsed. */
export class LogScanner {
  readonly #prefilter: Prefilter | undefined;
  readonly #io: ScanIo;
  #memory: Buffer | undefined;

  constructor(prefilter: Prefilter | undefined, io: ScanIo) {
    this.#prefilter = prefilter;
    this.#io = io;
  }

  /** Visits the entries in the order of the lines. Undefined, without a visit, for a log that has to be opened. */
  async scan<Found>(path: string, visitor: Visitor<Found>): Promise<Scanned | undefined> {
    const store = await this.#open(path);
    try {
      if (store.database) return undefined;
      return (await this.#mayMatch(store)) ? await this.scanStore(path, store, visitor) : { damaged: 0 };
    } finally {
      await store.close();
    }
  }

  /** The same for the lines in a store. */
  async scanStore<Found>(name: string, store: ByteStore, visitor: Visitor<Found>): Promise<Scanned | undefined> {
    const kind = await kindOf(name, store);
    if (kind === 'native') return await this.#native(store, visitor);
    if (kind === 'unknown' || (store.size ?? 0) > MOST_CONVERTED) return undefined;
    return await this.#converted(name, store, kind, visitor);
  }

  async #open(path: string): Promise<ByteStore> {
    this.#memory ??= readMemory(READ_AT_ONCE);
    const whole = readWhole(path, this.#memory);
    if (whole && !isPacked(whole) && !isDatabase(whole)) return inMemory(whole);
    return await openUnpacked(path, { ...this.#io, note: () => {} });
  }

  /** Most files have no match, which their bytes show without parsing. */
  async #mayMatch(store: ByteStore): Promise<boolean> {
    if (!this.#prefilter) return true;
    // A match may span two chunks.
    let rest = Buffer.alloc(0);
    for await (const chunk of store.chunks()) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      if (this.#prefilter.finder(bytes)(0) >= 0) return true;
      rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - this.#prefilter.length)));
    }
    return false;
  }

  async #native<Found>(store: ByteStore, visitor: Visitor<Found>): Promise<Scanned> {
    let damaged = 0;
    for await (const piece of readBlocks(store.chunks())) {
      for (const { value, isDamaged, line } of piece instanceof LineBlock ? this.#entriesIn(piece) : [entryIn(piece)]) {
        if (isDamaged) damaged++;
        else if (value && !visitor.find(value, line).every((found) => visitor.accept(found))) return { damaged };
      }
      await visitor.pause();
    }
    return { damaged };
  }

  async #converted<Found>(
    path: string,
    store: ByteStore,
    kind: Identity,
    visitor: Visitor<Found>,
  ): Promise<Scanned | undefined> {
    const { toNative } = requireReadable(path, kind.format);
    /** Held, because the report may still refuse the log. */
    let found: Found[] = [];
    let damaged = 0;
    let last = 0;
    let head: readonly string[] = [];
    let report: ConversionReport | undefined;
    const value = (entry: JsonObject, line: number): void => {
      if (line > 0) last = line;
      found.push(...visitor.find(entry, last));
    };
    const sink: NativeSink = {
      head: (raws) => {
        head = raws;
      },
      line: (raw, line) => value(parseObject(decodeUtf8(raw)) ?? {}, line),
      pieces: () => {},
      value,
      leftOut: () => void damaged++,
      warn: () => {},
      restart: () => {
        [found, damaged, last] = [[], 0, 0];
      },
      report: (made) => {
        requireFit(path, kind, made);
        report = made;
      },
    };
    // Files beside it have a search of their own, and every text is searched: no scanner cuts long ones out.
    const source = logSource(store, { name: path, random: this.#io.random, scanner: 'off' });
    await toNative({ ...source, isOnlyRead: true }, sink, { dialect: 'pi', keep: 'meta' });
    if (othersInside(report).length > 0) return undefined;
    const first = head.flatMap((raw) => visitor.find(parseObject(decodeUtf8(raw)) ?? {}, 0));
    [...first, ...found].every((one) => visitor.accept(one));
    await visitor.pause();
    return { damaged, report };
  }

  /** The entries of a block that may match. */
  *#entriesIn(block: LineBlock): Generator<ScannedLine> {
    const { bytes } = block;
    const next = this.#prefilter?.finder(bytes) ?? ((from: number) => (from < bytes.length ? from : -1));
    let { number } = block;
    let start = 0;
    for (let at = next(0); at >= 0; at = next(start)) {
      let end = bytes.indexOf(0x0a, start);
      for (; end < at; end = bytes.indexOf(0x0a, start)) {
        start = end + 1;
        number++;
      }
      const value = block.wellFormed ? parseObject(textOf(bytes.subarray(start, end))) : undefined;
      yield value ? { value, isDamaged: false, line: number } : entryIn(block.line(start, end - start, number));
      start = end + 1;
      number++;
    }
  }
}

/** What is on a line: an entry, damage or nothing. */
interface ScannedLine {
  readonly value: JsonObject | undefined;
  readonly isDamaged: boolean;
  readonly line: number;
}

function entryIn(line: Line): ScannedLine {
  const { damage, objects } = readContent(line, 3);
  return { value: objects[0]?.value, isDamaged: damage !== undefined, line: line.number };
}

/** What a log is, by its first lines: 'native' is one of the latest version that starts with its header. */
async function kindOf(path: string, store: ByteStore): Promise<Identity | 'native' | 'unknown'> {
  const detection = new Detection(path, { named: false });
  let kind: Identity | 'native' | 'unknown' | undefined;
  const isOpen = (line: Line): boolean => {
    if (line.length > LONGEST_FIRST_LINE || line.raw.startsWith(BYTE_ORDER_MARK)) kind = 'unknown';
    else {
      detection.pass([line]);
      kind = detection.identity;
      if (detection.open && !(isObject(line.json) && isTitleSlot(line.json)))
        kind = isObject(line.json) && isLatestHeader(line.json) ? 'native' : 'unknown';
    }
    return kind === undefined;
  };
  for await (const piece of readBlocks(store.chunks())) {
    if (piece instanceof LineBlock) piece.peel(isOpen);
    else isOpen(piece);
    if (kind) return kind;
  }
  detection.end();
  return detection.identity ?? 'unknown';
}

function isLatestHeader(value: JsonObject): boolean {
  return isHeader(value) && versionOf(value).version === 3;
}
