import { BYTE_ORDER_MARK, type LineObject, readContent } from '../entries/damage.ts';
import { HEADER_TYPE, isTitleSlot, TITLE_TYPE, versionOf } from '../entries/envelope-check.ts';
import { EnvelopeScanner, envelopeOf, rangeText } from '../json/envelope.ts';
import type { JsonObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { Block } from '../lines/reader.ts';
import type { LeftOut } from './log-entry.ts';
import { type EntryRanges, entryRanges, LogIndex } from './log-index.ts';

export interface IndexBuilderOptions {
  /** For the index: 8 random bytes. */
  readonly key: Uint8Array;
  /** Parse every line instead of looking for its envelope: slower, but no damaged line gets in. */
  readonly careful: boolean;
  /** Gets the first lines, until it has seen enough and says so. */
  readonly look?: (line: Line) => 'go on' | 'enough';
  /** The line of the file, for a line of a copy. */
  readonly lineOf?: (line: number) => number;
}

/** The first pass over a log: what is needed to find the entries again, and which lines are none. */
export class IndexBuilder {
  readonly index: LogIndex;
  damage: LeftOut[] = [];
  readonly headerLines: number[] = [];
  header: JsonObject | undefined;
  headerText: string | undefined;
  titleSlot: JsonObject | undefined;
  titleSlotText: string | undefined;
  endsWithNewline = true;
  readonly #careful: boolean;
  readonly #scanner = new EnvelopeScanner();
  #look: IndexBuilderOptions['look'] | undefined;
  readonly #lineOf: (line: number) => number;
  /** One for all lines: objects of their own would be most of what there is to clean up. */
  readonly #entry: EntryRanges = entryRanges();

  constructor(options: IndexBuilderOptions) {
    this.index = new LogIndex(options.key);
    this.#careful = options.careful;
    this.#look = options.look;
    this.#lineOf = options.lineOf ?? ((line) => line);
  }

  /** Takes the next lines, as the reader gives them. */
  take(piece: Block | Line): void {
    if (piece instanceof Block) this.#takeBlock(piece);
    else {
      this.endsWithNewline = piece.terminated;
      this.#lookAt(piece);
      this.#read(piece);
    }
  }

  #takeBlock(block: Block): void {
    const { bytes } = block;
    let { number } = block;
    this.endsWithNewline = true;
    for (let start = 0; start < bytes.length; number++) {
      const end = bytes.indexOf(0x0a, start);
      if (this.#look) this.#lookAt(block.line(start, end - start, number));
      if (this.#careful || !this.#scanner.scan(bytes, start, end) || isSpecial(this.#scanner)) {
        this.#read(block.line(start, end - start, number));
      } else this.#addScanned(number, block.offset + start, end - start);
      start = end + 1;
    }
    block.lines = number - block.number;
  }

  #lookAt(line: Line): void {
    if (this.#look?.(line) === 'enough') this.#look = undefined;
  }

  /** An entry of which the scanner has found the envelope. */
  #addScanned(line: number, offset: number, length: number): void {
    const { index } = this;
    const scanner = this.#scanner;
    const entry = this.#entry;
    entry.bytes = scanner.bytes;
    entry.idStart = scanner.idStart;
    entry.idEnd = scanner.idEnd;
    entry.parentStart = scanner.parentStart;
    entry.parentEnd = scanner.parentEnd;
    entry.type = index.typeCodeOf(scanner.bytes, scanner.typeStart, scanner.typeEnd);
    entry.role = index.roleCodeOf(scanner.bytes, scanner.roleStart, scanner.roleEnd);
    entry.line = this.#lineOf(line);
    entry.offset = offset;
    entry.length = length;
    index.addRanges(entry);
  }

  /** A line whose envelope was not found without parsing, or that is no entry. */
  #read(line: Line): void {
    if (line.blank) return;
    const content = readContent(line, this.header ? versionOf(this.header).version : undefined);
    // A line behind a mark is damaged and left out as any other, a header too.
    const damage = line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK) ? 'byte-order-mark' : content.damage;
    if (damage !== undefined) {
      this.damage.push({ line: this.#lineOf(line.number), rule: damage });
      return;
    }
    // A line without damage that is not blank holds one object.
    const { value } = content.objects[0] as LineObject;
    if (value['type'] === HEADER_TYPE) this.#takeHeader(value, line);
    else if (isTitleSlot(value)) this.#takeTitle(value, line);
    else {
      const { type, id, parentId, role } = envelopeOf(value);
      this.index.add({
        id,
        parentId,
        type: type ?? '',
        role,
        line: this.#lineOf(line.number),
        offset: line.offset,
        length: line.length,
      });
    }
  }

  #takeHeader(value: JsonObject, line: Line): void {
    this.headerLines.push(this.#lineOf(line.number));
    if (!this.header) {
      this.header = value;
      this.headerText = line.text;
    }
    if (typeof value['id'] === 'string') this.index.addHeader(value['id']);
  }

  #takeTitle(value: JsonObject, line: Line): void {
    this.headerLines.push(this.#lineOf(line.number));
    if (this.titleSlot) return;
    this.titleSlot = value;
    this.titleSlotText = line.text;
  }
}

/** Lines that are no entries are parsed, for what they say is wanted. */
function isSpecial(scanner: EnvelopeScanner): boolean {
  const length = scanner.typeEnd - scanner.typeStart;
  if (length !== HEADER_TYPE.length && length !== TITLE_TYPE.length) return false;
  const first = scanner.bytes[scanner.typeStart];
  if (first !== 0x73 && first !== 0x74) return false;
  const type = rangeText(scanner.bytes, scanner.typeStart, scanner.typeEnd);
  return type === HEADER_TYPE || type === TITLE_TYPE;
}
