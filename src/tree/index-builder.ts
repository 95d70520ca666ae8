import { BYTE_ORDER_MARK, type LineObject, readContent } from '../entries/damage.ts';
import { type Envelope, envelopeOf, type LineScanner, rangeText } from '../entries/envelope.ts';
import { HEADER_TYPE, isTitleSlot, TITLE_TYPE, versionOf } from '../entries/envelope-check.ts';
import type { JsonObject } from '../entries/json-value.ts';
import { Line } from '../lines/line.ts';
import type { LinePlace, RangeReader } from '../lines/ranges.ts';
import { LogIndex } from './log-index.ts';
import type { LeftOut } from './session.ts';

export interface IndexBuilderOptions {
  /** For the index: 8 random bytes. */
  readonly key: Uint8Array;
  /** Parse every line instead of looking for its envelope: slower, but no damaged line gets in. */
  readonly careful: boolean;
  readonly scanner: LineScanner;
  /** Gets the first lines, until it has seen enough and says so. */
  readonly look: (line: Line) => 'go on' | 'enough';
}

/** The first pass over a log: what is needed to find the entries again, and which lines are none. */
export class IndexBuilder implements RangeReader {
  readonly index: LogIndex;
  damage: LeftOut[] = [];
  readonly headerLines: number[] = [];
  header: JsonObject | undefined;
  headerText: string | undefined;
  titleSlot: JsonObject | undefined;
  titleSlotText: string | undefined;
  endsWithNewline = true;
  readonly #careful: boolean;
  readonly #scanner: LineScanner;
  #look: ((line: Line) => 'go on' | 'enough') | undefined;

  constructor(options: IndexBuilderOptions) {
    this.index = new LogIndex(options.key);
    this.#careful = options.careful;
    this.#scanner = options.scanner;
    this.#look = options.look;
  }

  line(bytes: Buffer, start: number, end: number, place: LinePlace): void {
    this.endsWithNewline = place.terminated;
    if (this.#look && this.#look(lineOf(bytes, start, end, place)) === 'enough') this.#look = undefined;
    if (!this.#careful && this.#scanner.scan(bytes, start, end) && !isSpecial(this.#scanner)) {
      this.index.addRanges(this.#scanner, place.number, place.offset, end - start);
      return;
    }
    const line = lineOf(bytes, start, end, place);
    if (line.blank) return;
    const content = readContent(line, this.header ? versionOf(this.header).version : undefined);
    // A line behind a mark is damaged and left out as any other, a header too.
    const damage = place.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK) ? 'byte-order-mark' : content.damage;
    if (damage !== undefined) {
      this.#leaveOut(place, damage);
      return;
    }
    // A line without damage that is not blank holds one object.
    const { value } = content.objects[0] as LineObject;
    if (value['type'] === HEADER_TYPE) this.#takeHeader(value, line.text, place);
    else if (isTitleSlot(value)) this.#takeTitle(value, line.text, place);
    else this.#add(envelopeOf(value), end - start, place);
  }

  oversize(length: number, place: LinePlace): void {
    this.endsWithNewline = place.terminated;
    const line = new Line(place.number, place.offset, '', place.terminated, 'ascii', length);
    if (this.#look && this.#look(line) === 'enough') this.#look = undefined;
    this.#leaveOut(place, 'oversize-line');
  }

  /**
   * Of a log that was migrated on the way: what is wrong with a line is told as it stands in the file, for there its entries
   * need no ids, and a line that is too long has bytes.
   */
  tellDamageOf(file: IndexBuilder): void {
    const told = new Set(file.damage.map(({ line }) => line));
    const others = this.damage.filter(({ line }) => !told.has(line));
    this.damage = file.damage.concat(others).sort((a, b) => a.line - b.line);
  }

  #add({ type, id, parentId, role }: Envelope, length: number, place: LinePlace): void {
    this.index.add({ id, parentId, type: type ?? '', role, line: place.number, offset: place.offset, length });
  }

  #takeHeader(value: JsonObject, text: string, place: LinePlace): void {
    this.headerLines.push(place.number);
    if (!this.header) {
      this.header = value;
      this.headerText = text;
    }
    if (typeof value['id'] === 'string') this.index.addHeader(value['id']);
  }

  #takeTitle(value: JsonObject, text: string, place: LinePlace): void {
    this.headerLines.push(place.number);
    if (this.titleSlot) return;
    this.titleSlot = value;
    this.titleSlotText = text;
  }

  #leaveOut(place: LinePlace, rule: string): void {
    this.damage.push({ line: place.number, rule });
  }
}

/** Lines that are no entries are parsed, for what they say is wanted. */
function isSpecial(scanner: LineScanner): boolean {
  const length = scanner.typeEnd - scanner.typeStart;
  if (length !== HEADER_TYPE.length && length !== TITLE_TYPE.length) return false;
  const first = scanner.bytes[scanner.typeStart];
  if (first !== 0x73 && first !== 0x74) return false;
  const type = rangeText(scanner.bytes, scanner.typeStart, scanner.typeEnd);
  return type === HEADER_TYPE || type === TITLE_TYPE;
}

function lineOf(bytes: Buffer, start: number, end: number, place: LinePlace): Line {
  return new Line(place.number, place.offset, bytes.toString('latin1', start, end), place.terminated, 'invalid');
}
