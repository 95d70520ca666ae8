import { BYTE_ORDER_MARK, type LineObject, readContent } from '../entries/damage.ts';
import { HEADER_TYPE, isTitleSlot, TITLE_TYPE, versionOf } from '../entries/envelope-check.ts';
import { type Envelope, envelopeOf, findEnvelope } from '../json/envelope.ts';
import type { JsonObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { LineBlock } from '../lines/reader.ts';
import { FIELD, FIELDS, ROLE, ROLE_NAMES, TYPE_NAMES } from '../scanner/layout.ts';
import type { Scanner } from '../scanner/scanner.ts';
import type { LeftOut } from './log-entry.ts';
import { type EntryRanges, entryRanges, LogIndex } from './log-index.ts';

interface IndexBuilderOptions {
  /** For the index: 8 random bytes. */
  readonly key: Uint8Array;
  /** Parse every line instead of looking for its envelope: slower, but no damaged line gets in. */
  readonly careful: boolean;
  /** Called with the first lines until it returns 'enough', or 'stop' if the log is not to be indexed. */
  readonly look?: (line: Line) => 'go on' | 'enough' | 'stop';
  /** The line of the file, for a line of a copy. */
  readonly lineOf?: (line: number) => number;
}

/** Where the ids of a scanned line are. */
export function fillIds(entry: EntryRanges, block: LineBlock, records: Int32Array, at: number): void {
  entry.bytes = block.bytes;
  entry.idStart = records[at + FIELD.idStart] as number;
  entry.idLength = records[at + FIELD.idLength] as number;
  entry.parentStart = records[at + FIELD.parentStart] as number;
  entry.parentLength = records[at + FIELD.parentLength] as number;
  entry.offset = block.offset + (records[at + FIELD.start] as number);
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
  /** Nothing more is taken. */
  isStopped = false;
  /** Makes the same index sooner, from now on. */
  scanner: Scanner | undefined;
  readonly #careful: boolean;
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
  take(piece: LineBlock | Line): void {
    if (!(piece instanceof LineBlock)) {
      this.endsWithNewline = piece.terminated;
      this.#takeLine(piece);
      return;
    }
    this.endsWithNewline = true;
    const { scanner } = this;
    const isLooking = (line: Line): boolean => {
      this.#takeLine(line);
      return this.#look !== undefined && !this.isStopped;
    };
    const block = scanner && this.#look ? piece.peel(isLooking) : piece;
    if (!block || this.isStopped) return;
    if (scanner && block.wellFormed && scanner.load(block.bytes)) this.#scan(block, scanner);
    else
      for (const line of block.split()) {
        this.#takeLine(line);
        if (this.isStopped) return;
      }
  }

  #scan(block: LineBlock, scanner: Scanner): void {
    const { records } = scanner;
    const entry = this.#entry;
    const types = TYPE_NAMES.map((name) => this.index.typeCode(name));
    const roles = ROLE_NAMES.map((name) => this.index.roleCode(name));
    let number = block.number;
    for (let from = 0; from < block.bytes.length; ) {
      const lines = this.#careful ? scanner.scan(from) : scanner.scanEnvelopes(from);
      for (let line = 0; line < lines; line++, number++) {
        const at = line * FIELDS;
        const start = records[at + FIELD.start] as number;
        const length = records[at + FIELD.length] as number;
        from = start + length + 1;
        const codes = records[at + FIELD.codes] as number;
        const role = (codes >>> 4) & 15;
        // The index keeps the names of roles; which unknown one it is, the scanner does not say.
        if (records[at + FIELD.accepted] === 0 || role === ROLE.unknown) {
          this.#takeLine(block.line(start, length, number));
          continue;
        }
        fillIds(entry, block, records, at);
        entry.type = types[codes & 15] as number;
        entry.role = roles[role] as number;
        entry.line = this.#lineOf(number);
        entry.length = length;
        this.index.addRanges(entry);
      }
    }
    block.lines = number - block.number;
  }

  #takeLine(line: Line): void {
    const seen = this.#look?.(line);
    if (seen === 'enough') this.#look = undefined;
    this.isStopped = seen === 'stop';
    if (this.isStopped) return;
    const envelope = this.#careful ? undefined : findEnvelope(line.raw);
    if (!envelope || envelope.type === HEADER_TYPE || envelope.type === TITLE_TYPE) this.#read(line);
    else this.#add(envelope, line);
  }

  #add({ type = '', id, parentId, role }: Envelope, { number, offset, length }: Line): void {
    this.index.add({ id, parentId, type, role, line: this.#lineOf(number), offset, length });
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
    else this.#add(envelopeOf(value), line);
  }

  #takeHeader(value: JsonObject, line: Line): void {
    this.headerLines.push(this.#lineOf(line.number));
    this.header ??= value;
    this.headerText ??= line.text;
    if (typeof value['id'] === 'string') this.index.addHeader(value['id']);
  }

  #takeTitle(value: JsonObject, line: Line): void {
    this.headerLines.push(this.#lineOf(line.number));
    this.titleSlot ??= value;
    this.titleSlotText ??= line.text;
  }
}
