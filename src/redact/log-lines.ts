import { editableLine } from '../blobs/line-object.ts';
import { isTitleSlot } from '../entries/envelope-check.ts';
import { Detection, type Identity } from '../formats/index.ts';
import { isObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { DEFAULT_MAX_LINE_BYTES, LineBlock, readBlocks } from '../lines/reader.ts';
import { outlines } from '../lines/short-lines.ts';
import type { LeftOut } from '../log/log-entry.ts';
import type { Scanner } from '../scanner/scanner.ts';
import { LogError, UnsupportedLog } from '../util/errors.ts';
import { counted } from '../util/words.ts';

/** A value of `--from` for files that match no format. */
export const ANY_JSONL = 'jsonl';
/** No member is read: the scanner only checks whether a line is JSON. */
const NO_NAMES = { members: [], texts: [] };
/** omp's title slot without its newline: it is overwritten in place. */
const SLOT_BYTES = 255;

export interface DamagedPlace extends LeftOut {
  readonly offset: number;
}

/** A file that is not line-based; the message says what it is and what to do. */
export class NoLines extends UnsupportedLog {
  readonly noun: string;

  constructor(name: string, reason: string, noun: string) {
    super(name, reason);
    this.noun = noun;
  }
}

/** Reads the lines of a log in any format with one JSON object per line; refuses anything else. */
export class LogLines {
  readonly #name: string;
  readonly #from: string | undefined;
  readonly #detection: Detection;
  readonly #scanner: Scanner | undefined;
  /** Lines so far that are not JSON objects. */
  readonly damaged: DamagedPlace[] = [];
  /** Other files may refer to offsets in this log, so no line may change its length. */
  #keepsOffsets = false;
  #isKnown = false;

  constructor(name: string, from: string | undefined, scanner: Scanner | undefined) {
    this.#name = name;
    this.#from = from;
    this.#scanner = scanner;
    this.#detection = new Detection(name, { named: false, from: from === ANY_JSONL ? undefined : from });
  }

  async *read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
    for await (const piece of readBlocks(chunks)) {
      const lines = piece instanceof LineBlock ? piece.split() : [piece];
      for (const line of lines) this.#requireHeld(line);
      for (const line of this.#suspects(piece, lines)) {
        const { damage } = editableLine(line, undefined);
        if (damage) this.damaged.push({ line: line.number, offset: line.offset, rule: damage });
      }
      yield this.#isKnown ? lines : await this.#identify(this.#detection.pass(lines));
    }
    if (!this.#isKnown) yield await this.#identify(this.#detection.end());
  }

  keepsLength(line: Line): boolean {
    return this.#keepsOffsets || (line.length === SLOT_BYTES && isObject(line.json) && isTitleSlot(line.json));
  }

  /** Lines that may be damaged: those that the scanner does not accept as JSON objects. */
  #suspects(piece: LineBlock | Line, lines: readonly Line[]): readonly Line[] {
    const scanner = this.#scanner;
    const isScanned = scanner && piece instanceof LineBlock && piece.wellFormed && scanner.load(piece.bytes);
    if (!isScanned) return lines;
    const isKnown = [...outlines(piece, scanner, NO_NAMES)].map(({ isCut }) => isCut);
    return lines.filter((_line, index) => !isKnown[index]);
  }

  /** The lines to redact, once the format is known. */
  async #identify(native: readonly Line[]): Promise<readonly Line[]> {
    const { identity, open } = this.#detection;
    this.#isKnown = open || identity !== undefined;
    if (!identity) return native;
    const lines = this.#detection.takeForeign();
    const first = lines.find(({ json }) => isObject(json))?.json;
    this.#requireLines(identity, first);
    const checks = await identity.format.checks?.();
    this.#keepsOffsets = isObject(first) && checks?.keepsOffsets?.(first) === true;
    return lines;
  }

  #requireLines({ format, isDocument }: Identity, first: unknown): void {
    const { id, title, noun, toNative, mayHaveSessions } = format;
    const refused = (reason: string) => new NoLines(this.#name, reason, noun);
    if (id === ANY_JSONL && this.#from !== ANY_JSONL)
      throw refused(`is ${title}; '--from ${ANY_JSONL}' redacts it all the same`);
    if (isObject(first) && !isDocument) return;
    const hint =
      toNative || mayHaveSessions ? `; 'sessionctl convert FILE | sessionctl redact' gives a redacted session` : '';
    throw refused(`looks like ${title}; only logs with one JSON object per line are redacted${hint}`);
  }

  #requireHeld({ oversize, number }: Line): void {
    if (oversize === 0) return;
    const most = counted(DEFAULT_MAX_LINE_BYTES, 'byte');
    throw new LogError(this.#name, `line ${number} is longer than ${most} and cannot be searched for secrets`);
  }
}
