import { IdHash, unpackedId } from '../base/id-hash.ts';
import { firstNot } from '../base/search.ts';
import { ABSENT, type EnvelopeRanges } from '../entries/envelope.ts';
import { IdTable, NOT_FOUND, PAGE_BITS, PAGE_MASK, PAGE_SIZE } from './id-table.ts';
import { IndexPage } from './index-page.ts';

/** What `parentOf` gives where there is no parent to go to. */
export const NO_PARENT = -1;
/** The parentId names no entry of this log. */
export const MISSING_PARENT = -2;
/** The parentId names the log's header. */
export const HEADER_PARENT = -3;
/** Not resolved before `finish`: no entry so far has the id. */
export const UNKNOWN_PARENT = -4;

export { NOT_FOUND } from './id-table.ts';

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
  /** The parent's position where the log tells it by order alone, as version 1 does. */
  readonly parent?: number;
  readonly type: string;
  /** The role of a message. */
  readonly role?: string | undefined;
  readonly line: number;
  readonly offset: number;
  /** Bytes without the newline. */
  readonly length: number;
  /** Five bits for whoever fills the index. */
  readonly flags?: number;
}

/**
 * An entry whose id and parentId are plain ASCII, as ranges of bytes; a length below 0 means that it has none. Whoever
 * adds very many fills the same one again and again.
 */
export interface PlainEntry {
  bytes: Uint8Array;
  idStart: number;
  idLength: number;
  /** The hash of the id, under the key of the index. */
  idLow: number;
  idHigh: number;
  idIsPacked: boolean;
  parentStart: number;
  parentLength: number;
  /** The parentId is known to be the id of the entry that was added last. */
  parentIsLast: boolean;
  /** The parent's position where no parentId tells it. */
  parent: number;
  /** As `typeCode` and `roleCode` give them. */
  type: number;
  role: number;
  line: number;
  offset: number;
  length: number;
  flags: number;
}

/** One to be filled. */
export function plainEntry(): PlainEntry {
  return {
    bytes: new Uint8Array(0),
    idStart: 0,
    idLength: ABSENT,
    idLow: 0,
    idHigh: 0,
    idIsPacked: false,
    parentStart: 0,
    parentLength: ABSENT,
    parentIsLast: false,
    parent: NO_PARENT,
    type: 0,
    role: 0,
    line: 0,
    offset: 0,
    length: 0,
    flags: 0,
  };
}

const OWN_FLAGS = 0x1f;
/** The high half of the hash is the id itself. */
const PACKED = 0x20;
const WITHOUT_ID = 0x40;
/** An earlier entry has the same id. */
const REPEATED = 0x80;

/** Kinds from here on are types, those below are roles. */
const KINDS_OF_TYPES = 256;

/** Most logs are small, so the first page starts small; only it is ever copied. */
const FIRST_PAGE = 256;

/**
 * The entries of one log as typed arrays: id (hashed), parent, type, line and byte range. Positions count the entries
 * in file order from 0. Fill it with `add`, call `finish` once, then ask. Pages are never copied to grow, and the table
 * of ids grows in parts, so the peak is hardly above what the index holds in the end.
 */
export class LogIndex {
  readonly #hash: IdHash;
  readonly #pages: IndexPage[] = [];
  readonly #ids: IdTable;
  readonly #types = new Names();
  readonly #roles = new Names();
  readonly #headers = new Set<string>();
  #size = 0;
  #waiting: Waiting[] = [];
  #lastLow = 0;
  #lastHigh = 0;
  #lastWithId = NOT_FOUND;
  #finished = false;
  #groups: DuplicateGroups | undefined;
  #repeated = 0;
  #forward = 0;
  #missing = 0;
  #earlier = NOT_FOUND;

  /** The key keeps logs from aiming at the table: 8 random bytes, or a fixed key where the log is trusted. */
  constructor(key: Uint8Array) {
    this.#hash = new IdHash(key);
    this.#ids = new IdTable(this.#pages);
  }

  /** Empty again, for another log. The first page stays, and so do the codes that `typeCode` and `roleCode` gave. */
  reset(): void {
    this.#pages.length = Math.min(this.#pages.length, 1);
    this.#pages[0]?.reset();
    this.#ids.reset();
    this.#types.reset();
    this.#roles.reset();
    this.#headers.clear();
    this.#size = 0;
    this.#waiting = [];
    this.#lastLow = 0;
    this.#lastHigh = 0;
    this.#lastWithId = NOT_FOUND;
    this.#finished = false;
    this.#groups = undefined;
    this.#repeated = 0;
    this.#forward = 0;
    this.#missing = 0;
    this.#earlier = NOT_FOUND;
  }

  get size(): number {
    return this.#size;
  }

  /** Entries whose id an earlier entry has. */
  get repeatedIds(): number {
    return this.#repeated;
  }

  /** Entries whose parent stands behind them or is themselves; without any there is no cycle. */
  get forwardParents(): number {
    return this.#forward;
  }

  /** Entries whose parentId names no entry and no header. */
  get missingParents(): number {
    return this.#missing;
  }

  /** Bytes held in typed arrays, for the bench and the tests. */
  get bytes(): number {
    return this.#pages.reduce((sum, page) => sum + page.bytes, this.#ids.bytes);
  }

  /** A header is no entry, but entries of some logs name it as their parent. A log has one; of many only the first are kept. */
  addHeader(id: string): void {
    if (this.#headers.size < 1024) this.#headers.add(id);
  }

  /** The position of the new entry. `earlier` then tells whether its id was there already. */
  add(entry: NewEntry): number {
    const { id, parentId } = entry;
    let parent = entry.parent ?? NO_PARENT;
    if (parentId !== null && parentId !== undefined && parentId !== '') {
      this.#hash.of(parentId);
      parent = this.#parentAtAdd();
      if (parent === UNKNOWN_PARENT && this.#headers.has(parentId)) parent = HEADER_PARENT;
      else if (parent === UNKNOWN_PARENT) this.#wait();
    }
    if (id !== undefined) {
      this.#hash.of(id);
      this.#ids.seek(this.#hash.low, this.#hash.high);
    }
    const type = this.#types.code(entry.type);
    const role = this.#roles.code(entry.role ?? '');
    return this.#push(id !== undefined, parent, type, role, entry.line, entry.offset, entry.length, entry.flags ?? 0);
  }

  /** The same from the bytes of a line, without making strings of them. */
  addRanges(entry: EnvelopeRanges, line: number, offset: number, length: number): number {
    const { bytes } = entry;
    let parent = NO_PARENT;
    if (entry.parentStart !== ABSENT && entry.parentEnd > entry.parentStart) {
      this.#hash.ofBytes(bytes, entry.parentStart, entry.parentEnd);
      parent = this.#parentAtAdd();
      if (parent === UNKNOWN_PARENT) {
        if (this.#headers.has(bytes.toString('latin1', entry.parentStart, entry.parentEnd))) parent = HEADER_PARENT;
        else this.#wait();
      }
    }
    const hasId = entry.idStart !== ABSENT;
    if (hasId) {
      this.#hash.ofBytes(bytes, entry.idStart, entry.idEnd);
      this.#ids.seek(this.#hash.low, this.#hash.high);
    }
    const type = this.typeCodeOf(bytes, entry.typeStart, entry.typeEnd);
    const role = this.roleCodeOf(bytes, entry.roleStart, entry.roleEnd);
    return this.#push(hasId, parent, type, role, line, offset, length, 0);
  }

  /**
   * Adds an entry from the ranges of its id and parentId in plain bytes. Adds nothing and gives NOT_FOUND where there is
   * more to say about it: its id is there already, or its parent is not there yet.
   */
  addPlain(entry: PlainEntry): number {
    const { bytes, idLength, parentLength } = entry;
    let { parent } = entry;
    if (parentLength > 0) {
      if (entry.parentIsLast && this.#lastWithId === this.#size - 1) parent = this.#lastWithId;
      else {
        this.#hash.ofBytes(bytes, entry.parentStart, entry.parentStart + parentLength);
        parent = this.#parentAtAdd();
        if (parent === UNKNOWN_PARENT) return NOT_FOUND;
      }
    }
    const { idLow, idHigh } = entry;
    if (idLength >= 0 && this.#ids.seek(idLow, idHigh) !== NOT_FOUND) return NOT_FOUND;
    this.#hash.is(idLow, idHigh, entry.idIsPacked);
    return this.#push(idLength >= 0, parent, entry.type, entry.role, entry.line, entry.offset, entry.length, entry.flags);
  }

  /** What stands for the name of a type in `addPlain`. */
  typeCode(name: string): number {
    return this.#types.lastingCode(name);
  }

  /** The same for the role of a message, '' for none. */
  roleCode(name: string): number {
    return this.#roles.lastingCode(name);
  }

  /** The same for names in ASCII; a start of ABSENT for none. */
  typeCodeOf(bytes: Buffer, start: number, end: number): number {
    return start === ABSENT ? 0 : this.#types.codeOfBytes(bytes, start, end);
  }

  roleCodeOf(bytes: Buffer, start: number, end: number): number {
    return start === ABSENT ? 0 : this.#roles.codeOfBytes(bytes, start, end);
  }

  /** Takes the id from the hash; the table was asked for it just before. */
  #push(hasId: boolean, parent: number, type: number, role: number, line: number, offset: number, length: number, own: number): number {
    const position = this.#size;
    const slot = position & PAGE_MASK;
    let page = this.#pages[position >>> PAGE_BITS];
    if (page === undefined || slot >= page.size) page = this.#newPage(position);
    page.addParent(slot, parent);
    page.setLine(slot, line);
    page.setOffset(slot, offset);
    page.length[slot] = length;
    page.type[slot] = type;
    page.role[slot] = role;
    let flags = own & OWN_FLAGS;
    this.#size++;
    this.#earlier = NOT_FOUND;
    if (hasId) {
      const { low, high } = this.#hash;
      page.hashLow[slot] = low;
      page.hashHigh[slot] = high;
      if (this.#hash.isPacked) flags |= PACKED;
      this.#earlier = this.#ids.put(position);
      if (this.#earlier !== NOT_FOUND) {
        flags |= REPEATED;
        this.#repeated++;
      }
      this.#lastLow = low;
      this.#lastHigh = high;
      this.#lastWithId = position;
    } else flags |= WITHOUT_ID;
    page.flags[slot] = flags;
    return position;
  }

  /** The page for a position that has no room yet. */
  #newPage(position: number): IndexPage {
    const before = this.#pages[position >>> PAGE_BITS];
    const page = before === undefined ? new IndexPage(position, position === 0 ? FIRST_PAGE : PAGE_SIZE) : before.grown(before.size * 4);
    this.#pages[position >>> PAGE_BITS] = page;
    return page;
  }

  /** The nearest earlier entry with the id of the entry added last, or NOT_FOUND. */
  get earlier(): number {
    return this.#earlier;
  }

  /** Resolves what could not be resolved on the way: parents that stand behind their children. */
  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    const headers = waiting.length > 0 ? this.#headerHashes() : new Set<string>();
    for (const part of waiting) {
      for (let at = 0; at < part.count; at++) {
        const position = part.position[at] as number;
        const low = part.hashLow[at] as number;
        const high = part.hashHigh[at] as number;
        const last = this.#ids.get(low, high);
        let parent = MISSING_PARENT;
        if (last !== NOT_FOUND) {
          // Nothing before the reference has the id, so the first definition in the file is the first after it.
          parent = this.#firstDefinition(last);
          this.#forward++;
        } else if (headers.has(`${low},${high}`)) parent = HEADER_PARENT;
        else this.#missing++;
        (this.#pages[position >>> PAGE_BITS] as IndexPage).changeParent(position & PAGE_MASK, parent);
      }
    }
  }

  /** The last entry so far that has this id, or NOT_FOUND; while the index is being filled, that is the nearest earlier one. */
  find(id: string): number {
    this.#hash.of(id);
    return this.#ids.get(this.#hash.low, this.#hash.high);
  }

  /** What a reference to an id means that stands in the entry at a position: the nearest definition before it, else the first after it. */
  resolve(id: string, from: number, duplicates: Duplicates = 'nearest-earlier'): number {
    const last = this.find(id);
    if (last < from || duplicates === 'last' || this.#repeated === 0) return last;
    return this.#duplicateGroups().nearest(last, from);
  }

  /** All entries with this id, in file order. */
  definitions(id: string): number[] {
    const last = this.find(id);
    if (last === NOT_FOUND) return [];
    return this.#repeated === 0 ? [last] : this.#duplicateGroups().members(last);
  }

  /** The last entry that has the id of the entry at this position: itself in a log without repeated ids. */
  lastDefinition(position: number): number {
    if (this.#repeated === 0 || !this.hasId(position)) return position;
    const page = this.#pages[position >>> PAGE_BITS] as IndexPage;
    const slot = position & PAGE_MASK;
    return this.#ids.get(page.hashLow[slot] as number, page.hashHigh[slot] as number);
  }

  /** The parent's position, or one of the negative numbers above. */
  parentOf(position: number, duplicates: Duplicates = 'nearest-earlier'): number {
    const parent = (this.#pages[position >>> PAGE_BITS] as IndexPage).parent(position & PAGE_MASK);
    return duplicates === 'last' && parent >= 0 ? this.lastDefinition(parent) : parent;
  }

  /** Each entry whose parent is not the entry before it, in file order: those that make the shape of the tree. */
  eachApart(visit: (position: number, parent: number) => void): void {
    for (const page of this.#pages) page.eachApart(visit);
  }

  /** Visits the entries of these types, in file order. */
  eachOfTypes(names: ReadonlySet<string>, visit: (position: number) => void): void {
    const isWanted = this.#types.among(names);
    for (let page = 0; page < this.#pages.length; page++) {
      const first = page << PAGE_BITS;
      const { type } = this.#pages[page] as IndexPage;
      const end = Math.min(PAGE_SIZE, this.#size - first);
      for (let slot = 0; slot < end; slot++) if (isWanted[type[slot] as number] === 1) visit(first + slot);
    }
  }

  /** Counts the kinds of the entries from one position up to another. */
  countKinds(from: number, to: number, { counts, met }: KindCounts): void {
    for (let at = from; at < to; ) {
      const page = this.#pages[at >>> PAGE_BITS] as IndexPage;
      const { role, type } = page;
      const end = Math.min(to, (at | PAGE_MASK) + 1);
      for (; at < end; at++) {
        const slot = at & PAGE_MASK;
        const itsRole = role[slot] as number;
        // Of roles behind the first 254 no name is kept.
        const kind = itsRole === 0 || itsRole === Names.NAMELESS ? KINDS_OF_TYPES + (type[slot] as number) : itsRole;
        if (counts[kind] === 0) met.push(kind);
        counts[kind] = (counts[kind] as number) + 1;
      }
    }
  }

  /** The name of a kind: what `roleOf` or else `typeOf` gives, '' for none. */
  kindName(kind: number): string {
    return kind < KINDS_OF_TYPES ? this.#roles.name(kind) : this.#types.name(kind - KINDS_OF_TYPES);
  }

  /** The type's name; '' for an entry without one, and for new names behind the first 254. */
  typeOf(position: number): string {
    return this.#types.name((this.#pages[position >>> PAGE_BITS] as IndexPage).type[position & PAGE_MASK] as number);
  }

  /** The message's role where whoever filled the index knew it, else ''. */
  roleOf(position: number): string {
    return this.#roles.name((this.#pages[position >>> PAGE_BITS] as IndexPage).role[position & PAGE_MASK] as number);
  }

  lineOf(position: number): number {
    return (this.#pages[position >>> PAGE_BITS] as IndexPage).line(position & PAGE_MASK);
  }

  offsetOf(position: number): number {
    return (this.#pages[position >>> PAGE_BITS] as IndexPage).offset(position & PAGE_MASK);
  }

  lengthOf(position: number): number {
    return (this.#pages[position >>> PAGE_BITS] as IndexPage).length[position & PAGE_MASK] as number;
  }

  /** Puts another number of 32 bits in the place of the length, for whoever fills the index and needs no lengths. */
  setNote(position: number, note: number): void {
    (this.#pages[position >>> PAGE_BITS] as IndexPage).length[position & PAGE_MASK] = note;
  }

  noteOf(position: number): number {
    return this.lengthOf(position);
  }

  flagsOf(position: number): number {
    return this.#flagsOf(position) & OWN_FLAGS;
  }

  setFlags(position: number, flags: number): void {
    const page = this.#pages[position >>> PAGE_BITS] as IndexPage;
    const slot = position & PAGE_MASK;
    page.flags[slot] = ((page.flags[slot] as number) & ~OWN_FLAGS) | (flags & OWN_FLAGS);
  }

  /** The id where it is one of eight hex digits; of other ids the index keeps no text. */
  packedId(position: number): string | undefined {
    if ((this.#flagsOf(position) & PACKED) === 0) return undefined;
    return unpackedId((this.#pages[position >>> PAGE_BITS] as IndexPage).hashHigh[position & PAGE_MASK] as number);
  }

  /** Whether `packedId` knows the id. */
  isPacked(position: number): boolean {
    return (this.#flagsOf(position) & PACKED) !== 0;
  }

  hasId(position: number): boolean {
    return (this.#flagsOf(position) & WITHOUT_ID) === 0;
  }

  /** Whether an earlier entry has the same id. */
  repeatsId(position: number): boolean {
    return (this.#flagsOf(position) & REPEATED) !== 0;
  }

  /** The entry on a line of the file, or NOT_FOUND; of several on one line the first. Lines are added in order. */
  atLine(line: number): number {
    const at = firstNot(0, this.#size, (position) => this.lineOf(position) < line);
    return at < this.#size && this.lineOf(at) === line ? at : NOT_FOUND;
  }

  #flagsOf(position: number): number {
    return (this.#pages[position >>> PAGE_BITS] as IndexPage).flags[position & PAGE_MASK] as number;
  }

  /** The entry that has the id in the hash, if there is one so far. */
  #parentAtAdd(): number {
    const { low, high } = this.#hash;
    // Most entries hang from the one before them.
    if (low === this.#lastLow && high === this.#lastHigh && this.#lastWithId !== NOT_FOUND) return this.#lastWithId;
    const found = this.#ids.get(low, high);
    return found === NOT_FOUND ? UNKNOWN_PARENT : found;
  }

  /** The entry about to be added waits for the id in the hash. */
  #wait(): void {
    let part = this.#waiting.at(-1);
    if (part === undefined || part.count === part.position.length) {
      part = new Waiting();
      this.#waiting.push(part);
    }
    part.position[part.count] = this.#size;
    part.hashLow[part.count] = this.#hash.low;
    part.hashHigh[part.count] = this.#hash.high;
    part.count++;
  }

  /** For a header that stands behind an entry that names it. */
  #headerHashes(): Set<string> {
    const hashes = new Set<string>();
    for (const id of this.#headers) {
      this.#hash.of(id);
      hashes.add(`${this.#hash.low},${this.#hash.high}`);
    }
    return hashes;
  }

  #firstDefinition(last: number): number {
    return this.#repeated === 0 ? last : this.#duplicateGroups().first(last);
  }

  #duplicateGroups(): DuplicateGroups {
    if (this.#groups?.size !== this.#size) this.#groups = new DuplicateGroups(this);
    return this.#groups;
  }
}

/** How many entries are of which kind: of a role, or of a type where there is no role. */
export class KindCounts {
  /** By kind. */
  readonly counts = new Uint32Array(2 * KINDS_OF_TYPES);
  /** The kinds of which there are some, in the order in which they were met. */
  met: number[] = [];

  clear(): void {
    for (const kind of this.met) this.counts[kind] = 0;
    this.met = [];
  }
}

/** Parents that no entry so far has, until the end. */
class Waiting {
  count = 0;
  readonly position = new Int32Array(4096);
  readonly hashLow = new Int32Array(4096);
  readonly hashHigh = new Int32Array(4096);
}

/** All definitions of each repeated id, in file order; made when a log with repeated ids is first asked for more than the last one. */
class DuplicateGroups {
  readonly size: number;
  /** By last definition: where its group starts, plus 1; 0 for an id that occurs once. */
  readonly #start: Int32Array;
  readonly #count: Int32Array;
  readonly #members: Int32Array;

  constructor(index: LogIndex) {
    this.size = index.size;
    this.#start = new Int32Array(this.size);
    this.#count = new Int32Array(this.size);
    let members = 0;
    for (let at = 0; at < this.size; at++) {
      const last = index.lastDefinition(at);
      this.#count[last] = (this.#count[last] as number) + 1;
    }
    for (let at = 0; at < this.size; at++) {
      const count = this.#count[at] as number;
      if (count < 2) continue;
      this.#start[at] = members + 1;
      members += count;
    }
    this.#members = new Int32Array(members);
    this.#count.fill(0);
    for (let at = 0; at < this.size; at++) {
      const last = index.lastDefinition(at);
      const start = this.#start[last] as number;
      if (start === 0) continue;
      const filled = this.#count[last] as number;
      this.#members[start - 1 + filled] = at;
      this.#count[last] = filled + 1;
    }
  }

  first(last: number): number {
    const start = this.#start[last] as number;
    return start === 0 ? last : (this.#members[start - 1] as number);
  }

  members(last: number): number[] {
    const start = this.#start[last] as number;
    return start === 0 ? [last] : [...this.#members.subarray(start - 1, start - 1 + (this.#count[last] as number))];
  }

  nearest(last: number, from: number): number {
    const start = this.#start[last] as number;
    if (start === 0) return last;
    const end = start - 1 + (this.#count[last] as number);
    const at = firstNot(start - 1, end, (place) => (this.#members[place] as number) < from);
    if (at > start - 1) return this.#members[at - 1] as number;
    const here = this.#members[at] as number;
    if (here !== from) return here;
    return at + 1 < end ? (this.#members[at + 1] as number) : here;
  }
}

/** So many are compared one after the other before the map is asked. */
const FIRST_NAMES = 16;

/** Names as one byte: 0 is none, 255 is any name that came after the first 254, so a log of hostile names costs nothing. */
class Names {
  static readonly NAMELESS = 255;
  readonly #codes = new Map<string, number>();
  readonly #names: string[] = [''];
  /** The first names as bytes, for most entries have one of them. */
  readonly #bytes: Buffer[] = [Buffer.alloc(0)];
  /** How many of them outlast a reset. */
  #lasting = 1;

  reset(): void {
    for (let code = this.#lasting; code < this.#names.length; code++) this.#codes.delete(this.#names[code] as string);
    this.#names.length = this.#lasting;
    this.#bytes.length = Math.min(this.#bytes.length, this.#lasting);
  }

  /** The code of a name that somebody keeps: to be asked for before all others. */
  lastingCode(name: string): number {
    const code = this.code(name);
    this.#lasting = Math.min(Math.max(this.#lasting, code + 1), this.#names.length);
    return code;
  }

  code(name: string): number {
    if (name === '') return 0;
    const known = this.#codes.get(name);
    if (known !== undefined) return known;
    if (this.#names.length >= Names.NAMELESS || name.length > 100) return Names.NAMELESS;
    const code = this.#names.length;
    // A copy: the name is often a slice that would keep a whole block of the log alive.
    const copy = Buffer.from(name, 'utf16le').toString('utf16le');
    this.#names.push(copy);
    // What is not ASCII never comes as bytes; it keeps its place in the list.
    if (this.#bytes.length < FIRST_NAMES) this.#bytes.push(/^[\u0000-\u007f]*$/.test(copy) ? Buffer.from(copy, 'latin1') : Buffer.alloc(0));
    this.#codes.set(copy, code);
    return code;
  }

  /** The same for a name in ASCII, without making a string of one that is known. */
  codeOfBytes(bytes: Buffer, start: number, end: number): number {
    const length = end - start;
    for (let code = 0; code < this.#bytes.length; code++) {
      const name = this.#bytes[code] as Buffer;
      if (name.length !== length) continue;
      let at = 0;
      while (at < length && name[at] === bytes[start + at]) at++;
      if (at === length) return code;
    }
    return this.code(bytes.toString('latin1', start, end));
  }

  name(code: number): string {
    return this.#names[code] ?? '';
  }

  /** By code, 1 for each of these names. */
  among(names: ReadonlySet<string>): Uint8Array {
    return Uint8Array.from({ length: Names.NAMELESS + 1 }, (_, code) => (names.has(this.name(code)) ? 1 : 0));
  }
}
