import { Int32Rows, int32Column } from '../util/column.ts';
import { partitionPoint } from '../util/search.ts';
import { NONE, Symbols } from '../util/symbols.ts';

/** What a look-up gives where there is no such entry. */
export const NOT_FOUND = -1;
/** What `parentOf` gives where there is no parent to go to. */
export const NO_PARENT = -1;
/** The parentId names no entry of this log. */
export const MISSING_PARENT = -2;
/** The parentId names the log's header. */
export const HEADER_PARENT = -3;
/** Not resolved before `finish`: no entry so far has the id. */
export const UNKNOWN_PARENT = -4;

/** Which entry a reference means where an id occurs more than once. */
export type Duplicates =
  /** The nearest definition before the reference in the file, else the first after it. */
  | 'nearest-earlier'
  /** The last definition in the file. */
  | 'last';

export interface NewEntry {
  /** Undefined where the entry has no id that is a string. */
  readonly id: string | undefined;
  /** Null, undefined and '' make a root. */
  readonly parentId: string | null | undefined;
  /** The parent's position where only the order of lines defines it, as in version 1. */
  readonly parent?: number;
  readonly type: string;
  /** The role of a message. */
  readonly role?: string | undefined;
  readonly line: number;
  readonly offset: number;
  /** Bytes without the newline. */
  readonly length: number;
  /** Six bits for the code that fills the index. */
  readonly flags?: number;
}

/** What the index keeps of an entry beside its ids. */
interface IndexRow {
  /** The parent's position where no parentId names it. */
  parent: number;
  /** As `typeCode` and `roleCode` give them. */
  type: number;
  role: number;
  line: number;
  offset: number;
  length: number;
  flags: number;
}

/** An entry as ranges of ASCII bytes. One object is reused for all entries. */
export interface EntryRanges extends IndexRow {
  bytes: Buffer;
  idStart: number;
  /** Negative where there is none; so is the parent's. */
  idLength: number;
  parentStart: number;
  parentLength: number;
}

const EMPTY = Buffer.alloc(0);

/** One to be filled. */
export function entryRanges(): EntryRanges {
  const ids = { bytes: EMPTY, idStart: 0, idLength: -1, parentStart: 0, parentLength: -1 };
  return { ...ids, parent: NO_PARENT, type: 0, role: 0, line: 0, offset: 0, length: 0, flags: 0 };
}

/** What a row has, in numbers of 32 bits. */
const ROW_FIELDS = 7;
const ID = 0;
const PARENT = 1;
const LINE = 2;
/** The offset in two parts. */
const OFFSET = 3;
const OFFSET_HIGH = 4;
const LENGTH = 5;
/** The type, the role and the flags, a byte each. */
const CODES = 6;
const TWO_TO_32 = 2 ** 32;

const OWN_FLAGS = 0x3f;
const WITHOUT_ID = 0x40;
/** An earlier entry has the same id. */
const REPEATED = 0x80;

/** Of header ids only so many are kept: a log has one. */
const MOST_HEADERS = 1024;

const LONGEST_NAME = 100;
const SHORTEST_SLICE = 13;

/** Names as one byte: 0 is none, 255 is any name after the first 254, so a log of hostile names costs nothing. */
class Names {
  static readonly NAMELESS = 255;
  readonly #codes = new Map<string, number>([['', 0]]);
  readonly #names: string[] = [''];

  code(name: string): number {
    const known = this.#codes.get(name);
    if (known !== undefined) return known;
    if (this.#names.length >= Names.NAMELESS || name.length > LONGEST_NAME) return Names.NAMELESS;
    // The name is often a slice that would keep a whole block of the log alive; V8 makes none that is short.
    const copy = name.length < SHORTEST_SLICE ? name : Buffer.from(name, 'utf16le').toString('utf16le');
    this.#codes.set(copy, this.#names.push(copy) - 1);
    return this.#names.length - 1;
  }

  name(code: number): string {
    return this.#names[code] ?? '';
  }
}

/**
 * The entries of one log: id, parent, type, line and byte range. Positions count the entries
 * in file order from 0. Fill it with `add`, call `finish` once, then ask.
 */
export class LogIndex {
  /** The ids of entries, and those that entries name as their parent. */
  readonly symbols: Symbols;
  readonly #rows = new Int32Rows(ROW_FIELDS);
  /** By symbol: the last entry so far that has this id. */
  readonly #definedAt = int32Column();
  readonly #types = new Names();
  readonly #roles = new Names();
  readonly #headers = new Set<number>();
  /** Entries whose parent is not known yet, each followed by the symbol of its parentId. */
  #waiting = int32Column();
  #finished = false;
  #groups: ReadonlyMap<number, readonly number[]> | undefined;
  #repeated = 0;
  #forward = 0;
  #missing = 0;

  /** The key keeps logs from aiming at the table of ids: 8 random bytes. */
  constructor(key: Uint8Array) {
    this.symbols = new Symbols(key);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Entries whose id an earlier entry has. */
  get repeatedIds(): number {
    return this.#repeated;
  }

  /** Entries whose parent is behind them or is themselves; without any there is no cycle. */
  get forwardParents(): number {
    return this.#forward;
  }

  /** Entries whose parentId names no entry and no header. */
  get missingParents(): number {
    return this.#missing;
  }

  /** A header is no entry, but entries of some logs name it as their parent. */
  addHeader(id: string): void {
    if (this.#headers.size < MOST_HEADERS) this.#headers.add(this.symbols.intern(id));
  }

  /** The position of the new entry. */
  add(entry: NewEntry): number {
    const { id, parentId, parent = NO_PARENT, line, offset, length, flags = 0 } = entry;
    const type = this.typeCode(entry.type);
    const role = this.roleCode(entry.role ?? '');
    const parentSymbol = parentId ? this.symbols.intern(parentId) : NONE;
    const symbol = id === undefined ? NONE : this.symbols.intern(id);
    return this.#push(symbol, parentSymbol, { parent, type, role, line, offset, length, flags });
  }

  /**
   * The same from the bytes of a line, without making strings of them. With `onlyPlain` nothing is added, and NOT_FOUND
   * given, where there is more to say about the entry: its id is there already, or its parent is not there yet.
   */
  addRanges(entry: EntryRanges, onlyPlain = false): number {
    const { bytes, idStart, idLength, parentStart, parentLength } = entry;
    const { symbols } = this;
    const parentId = parentLength > 0 ? symbols.internBytes(bytes, parentStart, parentStart + parentLength) : NONE;
    const id = idLength >= 0 ? symbols.internBytes(bytes, idStart, idStart + idLength) : NONE;
    const isUnknown = (symbol: number): boolean => this.#definition(symbol) === NOT_FOUND;
    if (onlyPlain && ((parentId !== NONE && isUnknown(parentId)) || !isUnknown(id))) return NOT_FOUND;
    return this.#push(id, parentId, entry);
  }

  /** What stands for the name of a type in `addRanges`. */
  typeCode(name: string): number {
    return this.#types.code(name);
  }

  /** The same for the role of a message, '' for none. */
  roleCode(name: string): number {
    return this.#roles.code(name);
  }

  #push(id: number, parentId: number, { parent, line, offset, length, type, role, flags: own }: IndexRow): number {
    const position = this.#rows.add();
    let flags = own & OWN_FLAGS;
    const parentSoFar = parentId === NONE ? parent : this.#parentSoFar(parentId, position);
    if (id === NONE) flags |= WITHOUT_ID;
    else {
      if (this.#definition(id) !== NOT_FOUND) {
        flags |= REPEATED;
        this.#repeated++;
      }
      this.#define(id, position);
    }
    const page = this.#rows.pageOf(position);
    const at = this.#rows.startOf(position);
    page[at + ID] = id;
    page[at + PARENT] = parentSoFar;
    page[at + LINE] = line;
    page[at + OFFSET] = offset;
    page[at + OFFSET_HIGH] = offset / TWO_TO_32;
    page[at + LENGTH] = length;
    page[at + CODES] = type | (role << 8) | (flags << 16);
    return position;
  }

  #parentSoFar(parentId: number, position: number): number {
    const parent = this.#definition(parentId);
    if (parent !== NOT_FOUND) return parent;
    this.#waiting.push(position);
    this.#waiting.push(parentId);
    return UNKNOWN_PARENT;
  }

  #definition(symbol: number): number {
    return symbol >= 0 && symbol < this.#definedAt.size ? this.#definedAt.at(symbol) : NOT_FOUND;
  }

  #define(symbol: number, position: number): void {
    while (this.#definedAt.size <= symbol) this.#definedAt.push(NOT_FOUND);
    this.#definedAt.set(symbol, position);
  }

  /** Resolves what could not be resolved on the way: parents that are behind their children. */
  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    const waiting = this.#waiting;
    this.#waiting = int32Column();
    for (let at = 0; at < waiting.size; at += 2) {
      const position = waiting.at(at);
      const id = waiting.at(at + 1);
      const last = this.#definition(id);
      let parent = MISSING_PARENT;
      if (last !== NOT_FOUND) {
        // Nothing before the reference has the id, so the first definition in the file is the first after it.
        parent = this.#definitionsOf(last)[0] as number;
        this.#forward++;
        // Looked at last: for agents an entry with the id of the header is the parent.
      } else if (this.#headers.has(id)) parent = HEADER_PARENT;
      else this.#missing++;
      this.#rows.set(position, PARENT, parent);
    }
  }

  /** The last entry so far that has this id, or NOT_FOUND; while the index is filled, the nearest earlier one. */
  find(id: string): number {
    return this.#definition(this.symbols.find(id));
  }

  /** What a reference from the entry at a position means: the nearest definition before it, else the first after it. */
  resolve(id: string, from: number, duplicates: Duplicates = 'nearest-earlier'): number {
    const last = this.find(id);
    if (last < from || duplicates === 'last' || this.#repeated === 0) return last;
    const members = this.#definitionsOf(last);
    const at = partitionPoint(0, members.length, (place) => (members[place] as number) < from);
    if (at > 0) return members[at - 1] as number;
    return members[0] === from ? (members[1] ?? from) : (members[0] as number);
  }

  /** All entries with this id, in file order. */
  definitions(id: string): readonly number[] {
    const last = this.find(id);
    return last === NOT_FOUND ? [] : this.#definitionsOf(last);
  }

  /** The last entry that has the id of the entry at this position: itself in a log without repeated ids. */
  lastDefinition(position: number): number {
    const id = this.#rows.at(position, ID);
    return this.#repeated === 0 || id === NONE ? position : this.#definition(id);
  }

  /** The parent's position, or one of the negative numbers above. */
  parentOf(position: number, duplicates: Duplicates = 'nearest-earlier'): number {
    const parent = this.#rows.at(position, PARENT);
    return duplicates === 'last' && parent >= 0 ? this.lastDefinition(parent) : parent;
  }

  /** The entries of these types, in file order. */
  *ofTypes(names: readonly string[]): Generator<number> {
    for (let position = 0; position < this.size; position++) if (names.includes(this.typeOf(position))) yield position;
  }

  /** The type's name; '' for an entry without one, and for new names behind the first 254. */
  typeOf(position: number): string {
    return this.#types.name(this.#rows.at(position, CODES) & 0xff);
  }

  /** The message's role if it is known, else ''. */
  roleOf(position: number): string {
    return this.#roles.name((this.#rows.at(position, CODES) >>> 8) & 0xff);
  }

  lineOf(position: number): number {
    return this.#rows.at(position, LINE) >>> 0;
  }

  offsetOf(position: number): number {
    return this.#rows.at(position, OFFSET_HIGH) * TWO_TO_32 + (this.#rows.at(position, OFFSET) >>> 0);
  }

  lengthOf(position: number): number {
    return this.#rows.at(position, LENGTH) >>> 0;
  }

  /** Stores another number of 32 bits in place of the length, for code that needs no lengths. */
  setNote(position: number, note: number): void {
    this.#rows.set(position, LENGTH, note);
  }

  noteOf(position: number): number {
    return this.lengthOf(position);
  }

  flagsOf(position: number): number {
    return this.#flagsAt(position) & OWN_FLAGS;
  }

  #flagsAt(position: number): number {
    return this.#rows.at(position, CODES) >>> 16;
  }

  idOf(position: number): string | undefined {
    const id = this.#rows.at(position, ID);
    return id === NONE ? undefined : this.symbols.text(id);
  }

  /** Every id once, with the last entry that has it. */
  *ids(): Generator<[id: string, position: number]> {
    for (let symbol = 0; symbol < this.#definedAt.size; symbol++) {
      const position = this.#definedAt.at(symbol);
      if (position !== NOT_FOUND) yield [this.symbols.text(symbol), position];
    }
  }

  hasId(position: number): boolean {
    return (this.#flagsAt(position) & WITHOUT_ID) === 0;
  }

  /** Whether an earlier entry has the same id. */
  repeatsId(position: number): boolean {
    return (this.#flagsAt(position) & REPEATED) !== 0;
  }

  /** The entry on a line of the file, or NOT_FOUND; of several on one line the first. Lines are added in order. */
  atLine(line: number): number {
    const at = partitionPoint(0, this.size, (position) => this.lineOf(position) < line);
    if (at < this.size && this.lineOf(at) === line) return at;
    // The native form of another agent's log is not always in the order of its lines.
    for (let position = 0; position < this.size; position++) if (this.lineOf(position) === line) return position;
    return NOT_FOUND;
  }

  /** All entries with the id of this one, which is the last of them. */
  #definitionsOf(last: number): readonly number[] {
    if (this.#repeated === 0) return [last];
    this.#groups ??= this.#repeatedGroups();
    return this.#groups.get(last) ?? [last];
  }

  /** By last definition, for ids that occur more than once. */
  #repeatedGroups(): ReadonlyMap<number, readonly number[]> {
    const groups = new Map<number, number[]>();
    for (let position = 0; position < this.size; position++) {
      if (this.repeatsId(position)) groups.set(this.lastDefinition(position), []);
    }
    for (let position = 0; position < this.size; position++) groups.get(this.lastDefinition(position))?.push(position);
    return groups;
  }
}
