import type { LineEdit } from '../../json/line-edit.ts';
import type { JsonObject } from '../../json/value.ts';
import { encodeUtf8, type Line } from '../../lines/line.ts';
import { int32Column } from '../../util/column.ts';
import { Symbols } from '../../util/symbols.ts';
import { toJson } from '../../util/to-json.ts';
import type { IdMint } from './mint.ts';

/** Something that could not be carried over as it was meant. */
export interface MigrateWarning {
  readonly line: number;
  readonly message: string;
}

export interface Version1To2Options {
  readonly mint: IdMint;
  readonly random: (bytes: number) => Uint8Array;
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

/** In the place of an id: the position is a header's, or that of an entry which is lost. */
const NO_ID = -1;
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
  /** The symbol of the id at each position of the file, the header's being 0. */
  readonly #positions = int32Column();
  readonly #ids: Symbols;
  readonly #headerIds = new Set<string>();
  readonly #ownIds = new Set<string>();
  readonly #references: Reference[] = [];
  #firstHeaderId = '';
  /** The id of the entry before, as JSON. */
  #previous = 'null';

  constructor(options: Version1To2Options) {
    this.#mint = options.mint;
    this.#ids = new Symbols(options.random(8));
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
    this.#positions.push(NO_ID);
  }

  /** What stood on a damaged line that a reader leaves out: its place in the count, but no target. */
  lost(entries: number): void {
    for (let entry = 0; entry < entries; entry++) this.#positions.push(NO_ID);
  }

  entry(edit: LineEdit, line: Line): void {
    const position = this.#positions.size;
    const { value } = edit;
    const id = value['id'];
    if (typeof id === 'string' && id !== '') this.#keep(edit, line);
    else {
      const minted = this.#mint.mint(this.#firstHeaderId, position);
      const json = `"${minted}"`;
      this.#positions.push(this.#ids.intern(minted));
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
      if (this.#ownIds.has(id) || this.#mint.isMinted(id)) continue;
      dangling++;
      if (dangling <= MOST_LISTED) this.#onWarning({ line, message: `${key} '${id}' is not in this file` });
    }
    if (dangling > MOST_LISTED)
      this.#onWarning({
        line: 0,
        message: `${dangling - MOST_LISTED} more references to entries that are not in this file`,
      });
  }

  /** An entry with an id keeps it, and its place in the tree. */
  #keep(edit: LineEdit, line: Line): void {
    const decoded = line.encoding === 'ascii' ? edit.value : (JSON.parse(line.text) as JsonObject);
    const id = String(decoded['id']);
    if (this.#mint.isMinted(id)) this.#onConflict(line.number, id);
    this.#mint.take(id);
    this.#ownIds.add(id);
    this.#positions.push(this.#ids.intern(id));
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
    const text = (decoded ?? (line.encoding === 'ascii' ? edit.value : (JSON.parse(line.text) as JsonObject)))[
      'parentId'
    ];
    if (typeof text === 'string' && this.#isHeaderId(text)) edit.set('parentId', 'null');
  }

  #isHeaderId(id: string): boolean {
    return this.#headerIds.has(id) && !this.#ownIds.has(id);
  }

  #nameFirstKept(edit: LineEdit, line: Line): void {
    const index = edit.value['firstKeptEntryIndex'];
    if (typeof index !== 'number') {
      this.#onWarning({ line: line.number, message: 'firstKeptEntryIndex is not a number and was left unchanged' });
      return;
    }
    edit.remove('firstKeptEntryIndex');
    const id = this.#idAt(index);
    if (id === undefined) {
      const kept =
        typeof edit.value['firstKeptEntryId'] === 'string'
          ? 'its firstKeptEntryId is kept'
          : 'this compaction keeps nothing before it';
      this.#onWarning({
        line: line.number,
        message: `firstKeptEntryIndex ${index} does not refer to an earlier entry and was removed; ${kept}`,
      });
      return;
    }
    edit.set('firstKeptEntryId', encodeUtf8(JSON.stringify(id)));
  }

  /** Undefined for a position that is none, and for a header's. */
  #idAt(position: number): string | undefined {
    if (!Number.isInteger(position) || position < 0 || position >= this.#positions.size) return undefined;
    const symbol = this.#positions.at(position);
    return symbol === NO_ID ? undefined : this.#ids.text(symbol);
  }
}
