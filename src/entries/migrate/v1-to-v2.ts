import { toJson } from '../../base/to-json.ts';
import { encodeUtf8, type Line } from '../../lines/line.ts';
import type { JsonObject } from '../json-value.ts';
import { hexId, hexNumber } from './hex-ids.ts';
import type { LineEdit } from './line-edit.ts';
import type { IdMint } from './mint.ts';

/** Something that could not be carried over as it was meant. */
export interface MigrateWarning {
  readonly line: number;
  readonly message: string;
}

export interface Version1To2Options {
  readonly mint: IdMint;
  readonly onWarning: (warning: MigrateWarning) => void;
  /** An entry has the id that was made for an earlier one: possible only where the file's ids were not known before. */
  readonly onConflict: (line: number, id: string) => never;
}

/** A reference of an entry that had its own id, looked up when all ids are known. */
interface Reference {
  readonly line: number;
  readonly key: string;
  readonly id: string;
}

const HEADER = -1;
const NOTHING = -2;
const REFERENCES: readonly string[] = ['parentId', 'firstKeptEntryId', 'targetId', 'fromId'];
/** More than these are counted, not listed. */
const MOST_LISTED = 10;

/**
 * Version 2 has a tree: every entry gets an id and the entry before it as parent, unless it has its own, and a
 * compaction names the first entry that it keeps instead of counting to it. Memory: the ids.
 */
export class Version1To2 {
  readonly #mint: IdMint;
  readonly #onWarning: (warning: MigrateWarning) => void;
  readonly #onConflict: (line: number, id: string) => never;
  readonly #positions = new PositionIds();
  readonly #headerIds = new Set<string>();
  readonly #ownIds = new Set<string>();
  readonly #references: Reference[] = [];
  #firstHeaderId = '';
  /** The id of the entry before, as JSON. */
  #previous = 'null';

  constructor(options: Version1To2Options) {
    this.#mint = options.mint;
    this.#onWarning = options.onWarning;
    this.#onConflict = options.onConflict;
  }

  /** A header counts, but is no link of the chain. `value` is decoded. */
  header(value: JsonObject): void {
    const id = value['id'];
    // A wrong id becomes the text of its JSON when it is repaired: so the ids made from it are the same before and after.
    const text = typeof id === 'string' ? id : id === undefined ? '' : toJson(id);
    if (this.#positions.size === 0) this.#firstHeaderId = text;
    if (typeof id === 'string') this.#headerIds.add(id);
    this.#positions.pushHeader();
  }

  /** What stood on a damaged line that a reader leaves out: its place in the count, but no target. */
  lost(entries: number): void {
    for (let entry = 0; entry < entries; entry++) this.#positions.pushNothing();
  }

  /** An entry that has neither id nor parent nor an index: what its object gets at the end. */
  plainEntry(): string {
    const number = this.#mint.mint(this.#firstHeaderId, this.#positions.size);
    const json = `"${hexId(number)}"`;
    this.#positions.push(number);
    const added = `,"id":${json},"parentId":${this.#previous}`;
    this.#previous = json;
    return added;
  }

  entry(edit: LineEdit, line: Line): void {
    const position = this.#positions.size;
    const { value } = edit;
    const id = value['id'];
    if (typeof id === 'string' && id !== '') this.#keep(edit, line);
    else {
      const number = this.#mint.mint(this.#firstHeaderId, position);
      const json = `"${hexId(number)}"`;
      this.#positions.push(number);
      edit.set('id', json);
      this.#chain(edit, line);
      this.#previous = json;
    }
    if (value['type'] === 'compaction' && Object.hasOwn(value, 'firstKeptEntryIndex')) this.#nameFirstKept(edit, line);
  }

  /** Tells what names an entry that the file does not have. */
  end(): void {
    let dangling = 0;
    for (const { line, key, id } of this.#references) {
      if (this.#ownIds.has(id) || this.#isMinted(id)) continue;
      dangling++;
      if (dangling <= MOST_LISTED) this.#onWarning({ line, message: `${key} '${id}' is not in this file` });
    }
    if (dangling > MOST_LISTED)
      this.#onWarning({ line: 0, message: `${dangling - MOST_LISTED} more references to entries that are not in this file` });
  }

  /** An entry with an id keeps it, and its place in the tree. */
  #keep(edit: LineEdit, line: Line): void {
    const decoded = line.encoding === 'ascii' ? edit.value : (JSON.parse(line.text) as JsonObject);
    const id = String(decoded['id']);
    const number = hexNumber(id);
    if (number !== undefined) {
      if (this.#mint.isMinted(number)) this.#onConflict(line.number, id);
      this.#mint.take(number);
    }
    this.#ownIds.add(id);
    this.#positions.pushOwn(id);
    this.#chain(edit, line, decoded);
    for (const key of REFERENCES) {
      const other = decoded[key];
      if (typeof other !== 'string' || (key === 'fromId' && other === 'root')) continue;
      if (key === 'parentId' && this.#isHeaderId(other)) continue;
      if (!this.#ownIds.has(other)) this.#references.push({ line: line.number, key, id: other });
    }
    this.#previous = encodeUtf8(JSON.stringify(id));
  }

  #chain(edit: LineEdit, line: Line, decoded?: JsonObject): void {
    const parent = edit.value['parentId'];
    if (parent === null) return;
    if (typeof parent !== 'string') {
      edit.set('parentId', this.#previous);
      return;
    }
    const text = (decoded ?? (line.encoding === 'ascii' ? edit.value : (JSON.parse(line.text) as JsonObject)))['parentId'];
    if (typeof text === 'string' && this.#isHeaderId(text)) edit.set('parentId', 'null');
  }

  #isHeaderId(id: string): boolean {
    return this.#headerIds.has(id) && !this.#ownIds.has(id);
  }

  #isMinted(id: string): boolean {
    const number = hexNumber(id);
    return number !== undefined && this.#mint.isMinted(number);
  }

  #nameFirstKept(edit: LineEdit, line: Line): void {
    const index = edit.value['firstKeptEntryIndex'];
    if (typeof index !== 'number') {
      this.#onWarning({ line: line.number, message: 'firstKeptEntryIndex is not a number and was left as it is' });
      return;
    }
    edit.remove('firstKeptEntryIndex');
    const id = this.#positions.at(index);
    if (id === undefined) {
      const kept =
        typeof edit.value['firstKeptEntryId'] === 'string' ? 'its firstKeptEntryId stays' : 'this compaction keeps nothing before it';
      this.#onWarning({ line: line.number, message: `firstKeptEntryIndex ${index} names no earlier entry and was removed; ${kept}` });
      return;
    }
    edit.set('firstKeptEntryId', encodeUtf8(JSON.stringify(id)));
  }
}

/** The ids of the entries by their position in the file, the header's being 0; eight bytes for an id that was made here. */
class PositionIds {
  #numbers = new Float64Array(1024);
  #own: Map<number, string> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(number: number): void {
    if (this.#size === this.#numbers.length) {
      const longer = new Float64Array(this.#size * 2);
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    this.#numbers[this.#size] = number;
    this.#size++;
  }

  pushHeader(): void {
    this.push(HEADER);
  }

  pushNothing(): void {
    this.push(NOTHING);
  }

  pushOwn(id: string): void {
    this.#own ??= new Map();
    this.#own.set(this.#size, id);
    this.push(NOTHING);
  }

  /** Undefined for a position that is none, and for a header's. */
  at(position: number): string | undefined {
    if (!Number.isInteger(position) || position < 0 || position >= this.#size) return undefined;
    const own = this.#own?.get(position);
    if (own !== undefined) return own;
    const number = this.#numbers[position];
    return number === undefined || number < 0 ? undefined : hexId(number);
  }
}
