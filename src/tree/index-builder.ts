import { BYTE_ORDER_MARK, type LineObject, readContent } from '../entries/damage.ts';
import { ABSENT, type Envelope, EnvelopeScanner, envelopeOf, type LineScanner, rangeText } from '../entries/envelope.ts';
import { HEADER_TYPE, isTitleSlot, TITLE_TYPE, versionOf } from '../entries/envelope-check.ts';
import type { JsonObject } from '../entries/json-value.ts';
import { Line } from '../lines/line.ts';
import type { LinePlace, MovingPlace, RangeReader } from '../lines/ranges.ts';
import { LINE, LINE_CODE, LINE_NUMBERS, ROLE_SHIFT } from '../scanner/envelope-layout.ts';
import type { CompiledScanner } from './compiled-scanner.ts';
import { LogIndex, NOT_FOUND, type PlainEntry, plainEntry } from './log-index.ts';
import type { LeftOut } from './session.ts';

export interface IndexBuilderOptions {
  /** For the index: 8 random bytes. */
  readonly key: Uint8Array;
  /** Parse every line instead of looking for its envelope: slower, but no damaged line gets in. */
  readonly careful: boolean;
  /** Finds envelopes faster, in lines that are read into its memory. */
  readonly compiled?: CompiledScanner | undefined;
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
  readonly #compiled: CompiledScanner | undefined;
  /** As the index codes them, by what the scanner says of a line. Not before they are met, for the index keeps only so many names. */
  readonly #roles: number[] = [];
  #message: number | undefined;
  #look: ((line: Line) => 'go on' | 'enough') | undefined;
  /** One for all lines: objects of their own would be most of what there is to clean up. */
  readonly #entry: PlainEntry = plainEntry();

  constructor(options: IndexBuilderOptions) {
    this.index = new LogIndex(options.key);
    this.#careful = options.careful;
    this.#scanner = options.compiled ?? new EnvelopeScanner();
    this.#compiled = options.compiled;
    this.#look = options.look;
    options.compiled?.keyIds(options.key);
  }

  line(bytes: Buffer, start: number, end: number, place: LinePlace): void {
    this.endsWithNewline = place.terminated;
    if (this.#look && this.#look(lineOf(bytes, start, end, place)) === 'enough') this.#look = undefined;
    if (!this.#careful && this.#scanner.scan(bytes, start, end) && !isSpecial(this.#scanner)) {
      this.index.addRanges(this.#scanner, place.number, place.offset, end - start);
    } else this.#read(bytes, start, end, place);
  }

  lines(bytes: Buffer, end: number, place: MovingPlace): boolean {
    const scanner = this.#compiled;
    if (this.#look || this.#careful || !scanner?.holds(bytes)) return false;
    this.endsWithNewline = true;
    const { memory, records } = scanner;
    const base = bytes.byteOffset;
    for (let from = base; from < base + end; ) {
      const numbers = scanner.scanLines(from, base + end) * LINE_NUMBERS;
      for (let at = 0; at < numbers; at += LINE_NUMBERS) {
        const length = records[at + LINE.length] as number;
        place.number++;
        if (((records[at + LINE.codes] as number) & LINE_CODE.accepted) !== 0) this.#addScanned(scanner, at, place);
        else this.#read(memory, from, from + length, place);
        place.offset += length + 1;
        from += length + 1;
      }
    }
    return true;
  }

  /** An entry of which the scanner has found the envelope. */
  #addScanned({ memory, records }: CompiledScanner, at: number, place: LinePlace): void {
    const codes = records[at + LINE.codes] as number;
    const typeStart = records[at + LINE.typeStart] as number;
    const typeEnd = records[at + LINE.typeEnd] as number;
    const idStart = records[at + LINE.idStart] as number;
    const idEnd = records[at + LINE.idEnd] as number;
    const parentStart = records[at + LINE.parentStart] as number;
    const parentEnd = records[at + LINE.parentEnd] as number;
    const roleStart = records[at + LINE.roleStart] as number;
    const roleEnd = records[at + LINE.roleEnd] as number;
    const role = codes >>> ROLE_SHIFT;
    const entry = this.#entry;
    entry.bytes = memory;
    entry.idStart = idStart;
    entry.idLength = idStart === ABSENT ? ABSENT : idEnd - idStart;
    entry.idLow = records[at + LINE.idLow] as number;
    entry.idHigh = records[at + LINE.idHigh] as number;
    entry.idIsPacked = (codes & LINE_CODE.idPacked) !== 0;
    entry.parentStart = parentStart;
    entry.parentLength = parentStart === ABSENT ? ABSENT : parentEnd - parentStart;
    entry.parentIsLast = (codes & LINE_CODE.parentBefore) !== 0;
    if ((codes & LINE_CODE.typeMessage) === 0) entry.type = this.index.typeCodeOf(memory, typeStart, typeEnd);
    else {
      this.#message ??= this.index.typeCodeOf(memory, typeStart, typeEnd);
      entry.type = this.#message;
    }
    if (role === 0) entry.role = this.index.roleCodeOf(memory, roleStart, roleEnd);
    else {
      this.#roles[role] ??= this.index.roleCodeOf(memory, roleStart, roleEnd);
      entry.role = this.#roles[role];
    }
    entry.line = place.number;
    entry.offset = place.offset;
    entry.length = records[at + LINE.length] as number;
    if (this.index.addPlain(entry) !== NOT_FOUND) return;
    // Its id is there already, or its parent comes later.
    const ranges = { bytes: memory, typeStart, typeEnd, idStart, idEnd, parentStart, parentEnd, roleStart, roleEnd };
    this.index.addRanges(ranges, place.number, place.offset, entry.length);
  }

  /** A line whose envelope was not found without parsing, or that is no entry. */
  #read(bytes: Buffer, start: number, end: number, place: LinePlace): void {
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
