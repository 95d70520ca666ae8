import { createHash } from 'node:crypto';
import { versionOf } from '../../entries/envelope-check.ts';
import { stableId } from '../../formats/native/ids.ts';
import type { Splice } from '../../json/text.ts';
import type { JsonObject } from '../../json/value.ts';
import type { RecordUnit } from './record-repair.ts';
import type { Region } from './split-damaged-line.ts';

/** Why something changes, for the report; the words are for people. */
export interface ChangeReason {
  readonly rule: string;
  readonly words: string;
  readonly idBefore?: string | undefined;
  readonly idAfter?: string | undefined;
  readonly assumed?: boolean;
}

/** A value that an object gets for one of its members, as JSON. */
export interface NewMember extends ChangeReason {
  readonly key: string;
  readonly json: string;
}

/** A change deeper inside of an object that opens at a position of a text, worked out when its text is at hand. */
export interface InnerEdit extends ChangeReason {
  readonly splices: (text: string, open: number) => readonly Splice[];
}

/** The text of a line that is put in, or how it is made from that of the object before it, as that will be. */
export type NewText = string | ((text: string) => string);

/** A line that is put into the log, without its line end. */
export interface NewLine extends ChangeReason {
  readonly text: NewText;
  /** The header that it was at its old place. */
  readonly source?: MovedLine;
}

/** What happens to a header, a title slot or an entry. */
export interface ObjectEdits {
  /** The object leaves the log, for the quarantine. */
  drop?: ChangeReason;
  /** The object is elsewhere in the output. */
  moved?: ChangeReason;
  /** Its line gets the line end that it lacks. */
  addNewline?: boolean;
  readonly members: NewMember[];
  readonly inner: InnerEdit[];
  /** Lines that follow it. */
  readonly after: NewLine[];
  /** The rule for which the quarantine gets the old bytes although the object stays. */
  keepsOld?: string;
}

/** Where an object is, and what happens to it. */
export interface PlacedObject {
  readonly line: number;
  /** Of the object where it shares its line, else of the line with its end. */
  readonly offset: number;
  readonly length: number;
  /** It shares its line, or its line is damaged: a region has it. */
  readonly inRegion: boolean;
  /** Its line is damaged and stays as it is. */
  readonly frozen: boolean;
  /** How many entries stand before it. */
  readonly position: number;
  edits: ObjectEdits | undefined;
}

/** An object that may be put elsewhere. */
export interface MovedLine extends PlacedObject {
  /** The line end that it will have. */
  readonly newline: string;
}

export interface HeadLine extends MovedLine {
  readonly kind: 'header' | 'title';
  readonly value: JsonObject;
  /** The object's bytes with their damage fixed, without a line end. */
  readonly raw: string;
  /** How many objects stand before it in the file. */
  readonly before: number;
}

export interface RepairEntry extends PlacedObject {
  readonly kind: 'entry';
  readonly type: string;
  /** Of a message. */
  readonly role: unknown;
  /** As they stand in the entry, whatever they are. */
  readonly id: unknown;
  readonly parentId: unknown;
  /** The other members that name an entry. */
  readonly references: readonly { readonly key: string; readonly id: string }[];
  /** Of its bytes, without white space around them. */
  readonly digest: string;
  /** A known type with what makes it worth keeping; asked for only where its id or its parent is unusable. */
  readonly hasPayload: boolean;
  readonly firstKeptEntryIndex: number | undefined;
  /** Only where unanswered calls are to be settled. */
  readonly tools: EntryToolUse | undefined;
  newId: string | undefined;
}

/** What a message has to do with tools. */
export interface EntryToolUse {
  readonly calls: readonly { readonly id: string; readonly name: string | undefined }[];
  /** The call that it is the result of. */
  readonly answers: string | undefined;
  /** A turn that was aborted or failed. */
  readonly isCut: boolean;
  readonly timestamp: string | undefined;
}

export type RepairUnit = HeadLine | RepairEntry;
/** What may be on a line, in a log of any format. */
export type AnyUnit = RepairUnit | RecordUnit;

/** Something that a rule found in an object. */
export interface ObjectFinding {
  readonly unit: RepairUnit;
  /** The rule that found it. */
  readonly found: string;
  /** The rule that the report names: another one where only the fix of the bytes made it a fault. */
  readonly rule: string;
  readonly path: string | undefined;
}

/** What is known of the lines of a log when their bytes are fixed. */
export class LineIndex {
  readonly regions: Region[] = [];
  bytes = 0;
  /** Lines that are not blank. */
  written = 0;
  /** A byte order mark that is not to be removed. */
  keepsMark = false;
  firstOversizeLine = 0;
  /** The line end of the first line that has one, and of the last one. */
  firstNewline = '';
  lastNewline = '';
  /** What is on the last line, where that is whole, but not ended. */
  unterminated: AnyUnit | undefined;
}

/** All that has to be known about the log before a byte of it is written, with the bytes of its lines fixed. */
export class RepairIndex extends LineIndex {
  readonly entries: RepairEntry[] = [];
  readonly headers: HeadLine[] = [];
  readonly titles: HeadLine[] = [];
  /** What the rules say about objects, in file order. */
  readonly findings: ObjectFinding[] = [];
  /** Ids that garbage still shows, with their parents; null for a root. */
  readonly salvagedParents = new Map<unknown, string | null>();
  /** Before which entries a log of version 1 had further ones, which are lost. */
  readonly lostBefore: { readonly before: number; readonly rule: string }[] = [];
  /** The first whole entry, for a log that lost its header. */
  firstEntry: { readonly bytes: string; readonly timestamp: string; readonly hasId: boolean } | undefined;
  cwd: string | undefined;
  lastTimestamp: string | undefined;

  /** omp's title slot; others are misplaced. */
  get slot(): HeadLine | undefined {
    return this.titles.find((title) => title.before === 0);
  }
}

/** In place of the position of a parent. A root, for the tree. */
export const ROOT = -1;
/** Nothing in the log has the id that it names as its parent. */
export const UNRESOLVED = -2;
/** Its parent is lost, or runs in a circle. */
export const LOST = -3;

/** A log under repair, for the fixes of the rules: what is known of it, and what is to be done to it so far. */
export class RepairState {
  readonly index: RepairIndex;
  /** Whether a rule's findings are fixed. */
  readonly shouldFix: (rule: string) => boolean;
  readonly version: 1 | 2 | 3;
  headerId = '';
  /** The header where it is put in front of everything else. */
  front: NewLine | undefined;
  /** Entries that get an id, and those that need a new parent, with the rule that says so. */
  readonly withoutId = new Set<RepairEntry>();
  readonly orphans = new Map<RepairEntry, string>();
  /** The tree as it will be: the position of the parent of each entry, or ROOT. */
  readonly parents: Int32Array;
  /** By id: the first entry that has it, and where it repeats the last one so far. */
  readonly first = new Map<unknown, RepairEntry>();
  readonly current = new Map<unknown, RepairEntry>();
  #usedIds: Set<unknown> | undefined;

  constructor(index: RepairIndex, shouldFix: (rule: string) => boolean) {
    this.index = index;
    this.shouldFix = shouldFix;
    this.parents = new Int32Array(index.entries.length).fill(ROOT);
    const header = index.headers[0]?.value;
    if (header) this.version = versionOf(header).version;
    else this.version = index.firstEntry?.hasId === false ? 1 : 3;
    if (typeof header?.['id'] === 'string') this.headerId = header['id'];
  }

  /** False where the rule is not wanted or the line stays as it is. */
  canFix(unit: AnyUnit, rule: string): boolean {
    return !unit.frozen && this.shouldFix(rule);
  }

  drop(unit: RepairUnit, rule: string, words: string): void {
    editsOf(unit).drop = { rule, words };
  }

  /** A member that is set twice keeps its first reason and gets its last value. */
  setMember(unit: RepairUnit, member: NewMember): void {
    const { members } = editsOf(unit);
    const at = members.findIndex(({ key }) => key === member.key);
    const earlier = members[at];
    if (!earlier) members.push(member);
    else members[at] = { ...earlier, json: member.json, words: member.words, idAfter: member.idAfter };
  }

  /** Once per rule, however often it found something in the object. */
  editInside(unit: RepairUnit, edit: InnerEdit): void {
    const { inner } = editsOf(unit);
    if (!inner.some(({ rule }) => rule === edit.rule)) inner.push(edit);
  }

  insertAfter(unit: RepairUnit, line: NewLine): void {
    editsOf(unit).after.push(line);
  }

  /** In front of everything else but a title slot. */
  insertInFront(line: NewLine): void {
    const { slot } = this.index;
    if (slot && !slot.edits?.drop) this.insertAfter(slot, line);
    else this.front = line;
  }

  /** The id that an entry will have, or undefined where it has none. */
  idOf({ id, newId }: RepairEntry): string | undefined {
    return newId ?? (typeof id === 'string' ? id : undefined);
  }

  parentOf(entry: RepairEntry): RepairEntry | undefined {
    return this.index.entries[this.parents[entry.position] as number];
  }

  /** The entry that an id means for whoever names it next: the nearest before it, else the first after it. */
  resolve(id: unknown): RepairEntry | undefined {
    return this.current.get(id) ?? this.first.get(id);
  }

  /** Gives an entry another parent; none makes it a root. */
  reattach(entry: RepairEntry, parentId: string | undefined, rule: string): void {
    const words = parentId === undefined ? 'made the entry a root' : `reattached the entry to '${parentId}'`;
    const idBefore = typeof entry.parentId === 'string' && entry.parentId !== '' ? entry.parentId : undefined;
    const json = JSON.stringify(parentId ?? null);
    this.setMember(entry, { key: 'parentId', json, rule, words, idBefore, idAfter: parentId });
  }

  /** A new id, which is the same in every run and is named nowhere in the file. */
  newId(position: number): string {
    this.#usedIds ??= idsIn(this.index);
    for (let attempt = 0; ; attempt++) {
      const id = stableId(this.headerId, position, attempt);
      if (id === this.headerId || this.#usedIds.has(id)) continue;
      this.#usedIds.add(id);
      return id;
    }
  }
}

/** What happens to an object, for whoever adds to it. */
export function editsOf(unit: AnyUnit): ObjectEdits {
  unit.edits ??= { members: [], inner: [], after: [] };
  return unit.edits;
}

function idsIn({ entries, salvagedParents }: RepairIndex): Set<unknown> {
  const names = new Set<unknown>([...salvagedParents.keys(), ...salvagedParents.values()]);
  for (const { id, parentId, references } of entries) {
    names.add(id).add(parentId);
    for (const reference of references) names.add(reference.id);
  }
  return names;
}

/** An id for a header: the first half of the bytes' SHA-256, written as a UUID is. */
export function uuidOf(bytes: string): string {
  const hex = createHash('sha256').update(Buffer.from(bytes, 'latin1')).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
