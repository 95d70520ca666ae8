import { referenceKeys } from '../../entries/types/index.ts';
import type { JsonObject } from '../../json/value.ts';
import { encodeUtf8, type Line } from '../../lines/line.ts';
import { int32Column } from '../../util/column.ts';
import type { AppError } from '../../util/errors.ts';
import { NONE, Symbols } from '../../util/symbols.ts';
import { toJson } from '../../util/to-json.ts';
import { freeId, type IdScheme, randomId, stableId } from './ids.ts';
import type { MigrateOptions } from './migration.ts';

/** New members of an entry as JSON; undefined removes one. */
export type MemberChanges = Map<string, string | undefined>;

const REFERENCES: readonly string[] = ['parentId', ...referenceKeys()];
/** More are counted, not listed. */
const MOST_LISTED = 10;

/**
 * Version 2 has a tree: every entry gets an id and the entry before it as parent, unless it has its own, and a
 * compaction refers to the first entry that it keeps by id instead of by index. Holds all ids in memory.
 */
export class Version1To2 {
  readonly #options: MigrateOptions;
  readonly #refusal: (what: string) => AppError;
  /** The symbol of the id at each position of the file, the header at 0; NONE for a header. */
  readonly #positions = int32Column();
  /** How many entries were lost directly before this position. */
  #lost = 0;
  readonly #ids: Symbols;
  readonly #headerIds = new Set<string>();
  readonly #ownIds = new Set<string>();
  /** References in entries with their own ids, resolved when all ids are known. */
  readonly #references: { readonly line: number; readonly key: string; readonly id: string }[] = [];
  #firstHeaderId = '';
  #counted = 0;
  /** The id of the entry before, as JSON. */
  #previous = 'null';

  constructor(options: MigrateOptions, refusal: (what: string) => AppError) {
    this.#options = options;
    this.#refusal = refusal;
    this.#ids = new Symbols(options.random(8));
  }

  /** A header has a position, but no id in the tree. `value` is decoded. */
  header(value: JsonObject): void {
    const id = value['id'];
    // `repair` changes an id of a wrong type to its JSON: ids made from it stay the same.
    const text = typeof id === 'string' ? id : id === undefined ? '' : toJson(id);
    if (this.#positions.size === 0) this.#firstHeaderId = text;
    if (typeof id === 'string') this.#headerIds.add(id);
    this.#positions.push(NONE);
    this.#lost = 0;
  }

  /** Counts the entries on a damaged line; an index that refers to one means the next entry, as in a repair. */
  lost(entries: number): void {
    for (let entry = 0; entry < entries; entry++) this.#positions.push(NONE);
    this.#lost += entries;
  }

  entry(value: JsonObject, line: Line, changes: MemberChanges): void {
    const hasId = typeof value['id'] === 'string' && value['id'] !== '';
    // Only ids that are compared have to be decoded.
    const isCompared = hasId || typeof value['parentId'] === 'string';
    const decoded = isCompared && line.encoding !== 'ascii' ? (JSON.parse(line.text) as JsonObject) : value;
    const id = hasId ? String(decoded['id']) : this.#newId();
    if (!hasId) changes.set('id', `"${id}"`);
    else {
      // Only possible without `taken`.
      if (this.#ids.find(id) !== NONE && !this.#ownIds.has(id))
        throw this.#refusal(
          `line ${line.number} has the id '${id}', which was just assigned to an earlier entry; try another --ids`,
        );
      this.#ownIds.add(id);
    }
    const symbol = this.#ids.intern(id);
    for (; this.#lost > 0; this.#lost--) this.#positions.set(this.#positions.size - this.#lost, symbol);
    this.#positions.push(symbol);
    const parent = decoded['parentId'];
    if (typeof parent === 'string' && this.#isHeaderId(parent)) changes.set('parentId', 'null');
    else if (typeof parent !== 'string' && parent !== null) changes.set('parentId', this.#previous);
    if (hasId) this.#keepReferences(decoded, line.number);
    this.#previous = encodeUtf8(JSON.stringify(id));
    if (value['type'] === 'compaction' && Object.hasOwn(value, 'firstKeptEntryIndex'))
      this.#nameFirstKept(value, line.number, changes);
  }

  /** Warns of references to entries that the file does not have. */
  end(): void {
    const dangling = this.#references.filter(({ id }) => this.#ids.find(id) === NONE);
    for (const { line, key, id } of dangling.slice(0, MOST_LISTED))
      this.#warn(line, `${key} '${id}' is not in this file`);
    const more = dangling.length - MOST_LISTED;
    if (more > 0) this.#warn(0, `${more} more references to entries that are not in this file`);
  }

  #newId(): string {
    const { ids = 'stable', taken, random } = this.#options;
    const position = this.#positions.size;
    const candidates: Record<IdScheme, (attempt: number) => string> = {
      stable: (attempt) => stableId(this.#firstHeaderId, position, attempt),
      random: () => randomId(random),
      sequence: () => (++this.#counted).toString(16).padStart(8, '0'),
    };
    return freeId(candidates[ids], (id) => this.#ids.find(id) !== NONE || (taken?.find(id) ?? NONE) !== NONE);
  }

  #keepReferences(entry: JsonObject, line: number): void {
    for (const key of REFERENCES) {
      const id = entry[key];
      if (typeof id !== 'string' || (key === 'fromId' && id === 'root')) continue;
      if (key === 'parentId' && this.#isHeaderId(id)) continue;
      if (!this.#ownIds.has(id)) this.#references.push({ line, key, id });
    }
  }

  #warn(line: number, message: string): void {
    this.#options.onWarning?.({ line, message });
  }

  #isHeaderId(id: string): boolean {
    return this.#headerIds.has(id) && !this.#ownIds.has(id);
  }

  #nameFirstKept(value: JsonObject, line: number, changes: MemberChanges): void {
    const { firstKeptEntryIndex: index, firstKeptEntryId } = value;
    if (typeof index !== 'number') {
      this.#warn(line, 'firstKeptEntryIndex is not a number and was left unchanged');
      return;
    }
    changes.set('firstKeptEntryIndex', undefined);
    const isPosition = Number.isInteger(index) && index >= 0 && index < this.#positions.size;
    const symbol = isPosition ? this.#positions.at(index) : NONE;
    if (symbol !== NONE) {
      changes.set('firstKeptEntryId', encodeUtf8(JSON.stringify(this.#ids.text(symbol))));
      return;
    }
    const hasOther = typeof firstKeptEntryId === 'string';
    const kept = hasOther ? 'its firstKeptEntryId is kept' : 'this compaction keeps nothing before it';
    this.#warn(line, `firstKeptEntryIndex ${index} does not refer to an earlier entry and was removed; ${kept}`);
  }
}
