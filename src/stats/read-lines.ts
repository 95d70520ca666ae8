import { BYTE_ORDER_MARK } from '../entries/damage.ts';
import { isHeader, versionOf } from '../entries/envelope-check.ts';
import { factsOf, fileChunks, readWhole, sizeOf } from '../files/input.ts';
import { isDatabase, isDatabaseFile, unpacked } from '../files/unpack.ts';
import { isPacked } from '../files/zstd.ts';
import type { ActivityReader } from '../formats/activity.ts';
import { Detection } from '../formats/index.ts';
import { NativeActivity } from '../formats/native/activity.ts';
import { isObject, type JsonObject, parseObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { LineBlock, piecesOf, readBlocks } from '../lines/reader.ts';
import { outlines, type ReadLine, wholeLines } from '../lines/short-lines.ts';
import { type ScannerKind, WORTH_A_SCANNER_TO_PARSE } from '../scanner/layout.ts';
import { makeScanner, type Scanner } from '../scanner/scanner.ts';
import { AppError, OutputError } from '../util/errors.ts';
import { readMemory } from '../util/memory.ts';
import { type SessionActivity, SessionCollector } from './session-activity.ts';

/** What was done in the sessions of one file: plain data that threads exchange. */
export interface FileActivity {
  /** Of the log; 'pi' for a native one. */
  readonly format: string;
  readonly sessions: readonly SessionActivity[];
  readonly records: number;
  /** Lines that are damaged and were left out. */
  readonly damaged: number;
}

/** The file could not be read, or is no session log. */
export interface UnreadFile {
  readonly error: string;
  /** It is whole, but no session log. */
  readonly isOther: boolean;
}

/** Small files are read into it at once: for many of them, asynchronous reads take as long as the counting. */
const MEMORY_BYTES = 1024 * 1024;

/** Reads logs whose format has an `ActivityReader`, one after the other. */
export class LineFiles {
  readonly #memory = readMemory(MEMORY_BYTES);
  readonly #makeScanner: () => Scanner | undefined;
  #made: { readonly scanner: Scanner | undefined } | undefined;

  constructor(scanner: ScannerKind, random: (bytes: number) => Uint8Array) {
    this.#makeScanner = () => makeScanner(scanner, random(8));
  }

  readonly #scanner = (): Scanner | undefined => {
    this.#made ??= { scanner: this.#makeScanner() };
    return this.#made.scanner;
  };

  /** Undefined for a file of any other format. */
  async read(path: string): Promise<FileActivity | UnreadFile | undefined> {
    try {
      const whole = readWhole(path, this.#memory);
      // A pipe can be read once: whoever turns out to read it is the only one that opens it.
      if (whole ? isDatabase(whole) : !(await factsOf(path)).isFile() || isDatabaseFile(path)) return undefined;
      const lines = new LineActivity(path, this.#scanner);
      if (whole && !isPacked(whole)) for (const piece of piecesOf(whole)) await lines.add(piece);
      else
        for await (const piece of readBlocks(unpacked(path, fileChunks(path)))) {
          await lines.add(piece);
          if (lines.isOther) return undefined;
        }
      return await lines.end();
    } catch (error) {
      if (!(error instanceof AppError) || error instanceof OutputError) throw error;
      return { error: error.message, isOther: false };
    }
  }
}

/** The activity in the lines of one log, once its format is detected. */
class LineActivity {
  readonly #path: string;
  readonly #scanner: () => Scanner | undefined;
  readonly #detection: Detection;
  readonly #session = new SessionCollector();
  #reader: ActivityReader | undefined;
  #format = 'pi';
  #records = 0;
  #damaged = 0;
  #bytes = 0;
  /** The last line has no end and is no JSON. */
  #isTorn = false;
  /** Its format is not read here. */
  isOther = false;

  constructor(path: string, scanner: () => Scanner | undefined) {
    this.#path = path;
    this.#scanner = scanner;
    this.#detection = new Detection(path, { named: false });
  }

  async add(piece: LineBlock | Line): Promise<void> {
    this.#bytes = piece.offset + (piece instanceof LineBlock ? piece.bytes.length : piece.length);
    const rest = this.#reader ? piece : await this.#detect(piece);
    if (this.isOther || !rest) return;
    if (!(rest instanceof LineBlock)) this.#line(rest);
    else if (!rest.wellFormed) for (const line of rest.split()) this.#line(line);
    else {
      let lines = 0;
      for (const { start, length, text } of this.#linesOf(rest)) {
        lines++;
        const record = parseObject(text);
        const whole = (): JsonObject => parseObject(rest.bytes.toString('utf8', start, start + length)) ?? {};
        if (record) this.#record(record, whole);
        else if (text.trim() !== '') this.#damaged++;
      }
      rest.lines = lines;
    }
  }

  /** Gives the rest of a piece once its first lines have shown the format. */
  async #detect(piece: LineBlock | Line): Promise<LineBlock | undefined> {
    const detection = this.#detection;
    let native: readonly Line[] = [];
    const isHeldBack = (line: Line): boolean => {
      native = detection.pass([line]);
      return !detection.open && !detection.foreign;
    };
    const rest = piece instanceof LineBlock ? piece.peel(isHeldBack) : void isHeldBack(piece);
    await this.#decide(native);
    return rest;
  }

  async #decide(native: readonly Line[]): Promise<void> {
    const { open, identity } = this.#detection;
    if (!open && !identity) return;
    const lines = open ? native : this.#detection.takeForeign();
    const read = identity ? !identity.isDocument && (await identity.format.activity?.()) : nativeReader(lines);
    if (!read) {
      this.isOther = true;
      return;
    }
    this.#format = identity?.format.id ?? this.#format;
    this.#reader = read(this.#session);
    for (const line of lines) this.#line(line);
  }

  /** The lines of a large block without the members that are not read. */
  #linesOf(block: LineBlock): Iterable<ReadLine> {
    const { reads } = this.#reader as ActivityReader;
    const scanner = block.bytes.length < WORTH_A_SCANNER_TO_PARSE ? undefined : this.#scanner();
    return scanner?.load(block.bytes) ? outlines(block, scanner, reads) : wholeLines(block.bytes);
  }

  #line(line: Line): void {
    const json = line.oversize === 0 && line.wellFormed ? line.json : undefined;
    if (isObject(json)) this.#record(json, () => json);
    else if (!line.blank) {
      this.#damaged++;
      this.#isTorn = !line.terminated;
    }
  }

  #record(record: JsonObject, whole: () => JsonObject): void {
    this.#records++;
    this.#reader?.read(record, whole);
  }

  async end(): Promise<FileActivity | undefined> {
    if (!this.#reader && !this.isOther) await this.#decide(this.#detection.end());
    if (!this.#reader) return undefined;
    // The last line is still being written.
    if (this.#isTorn && (await sizeOf(this.#path)) > this.#bytes) this.#damaged--;
    const sessions = [this.#session.end()];
    return { format: this.#format, sessions, records: this.#records, damaged: this.#damaged };
  }
}

/** Undefined for older versions, which `readFile` migrates, and for a log behind a byte order mark, which is damage. */
function nativeReader(lines: readonly Line[]): ((session: SessionCollector) => ActivityReader) | undefined {
  if (lines[0]?.raw.startsWith(BYTE_ORDER_MARK)) return undefined;
  const header = lines.map(({ json }) => json).find((json) => isObject(json) && isHeader(json));
  if (!isObject(header) || versionOf(header).version !== 3) return undefined;
  return (session) => new NativeActivity(session);
}
