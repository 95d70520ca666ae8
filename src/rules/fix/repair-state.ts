import { versionOf } from '../../entries/envelope-check.ts';
import { stableId } from '../../formats/native/ids.ts';
import type { Splice } from '../../json/text.ts';
import { asString, type JsonObject } from '../../json/value.ts';
import { ROOT } from '../positions.ts';
import type { RecordUnit } from './record-repair.ts';
import type { Region } from './split-damaged-line.ts';

/** Why something changes, for the report. For people `words` says what was done, as in 'moved 60 bytes to quarantine'. */
export interface ChangeReason {
  readonly rule: string;
  readonly words: string;
  readonly idBefore?: string | undefined;
  readonly idAfter?: string | undefined;
  readonly assumed?: boolean;
}

/** A new value for a member of an object, as JSON. */
interface NewMember extends ChangeReason {
  readonly key: string;
  readonly json: string;
}

/** A change inside an object, computed from its text and the position where it opens. */
export interface InnerEdit extends ChangeReason {
  readonly splices: (text: string, open: number) => readonly Splice[];
}

/** The text of an inserted line, or a function that makes it from the repaired text of the object before it. */
type NewText = string | ((text: string) => string);

/** A line to insert, without its newline. */
export interface NewLine extends ChangeReason {
  readonly text: NewText;
  /** The moved header that this line repeats. */
  readonly source?: MovedLine;
}

/** The edits of a header, a title slot or an entry. */
interface ObjectEdits {
  /** Moves the object to the quarantine. */
  drop?: ChangeReason;
  /** The object is moved to another place in the output. */
  moved?: ChangeReason;
  /** Adds the newline that its line lacks. */
  addNewline?: boolean;
  readonly members: NewMember[];
  readonly inner: InnerEdit[];
  /** Lines to insert after it. */
  readonly after: NewLine[];
  /** The rule for which the original bytes go to the quarantine although the object stays. */
  keepsOld?: string;
}

/** The place of an object in the input, and its edits. */
export interface PlacedObject {
  readonly line: number;
  /** Of the object if it shares its line, else of the line including its newline. */
  readonly offset: number;
  readonly length: number;
  /** Part of a region, because its line is shared or damaged. */
  readonly inRegion: boolean;
  /** Its line is damaged and stays as it is. */
  readonly frozen: boolean;
  /** How many entries come before it. */
  readonly position: number;
  edits: ObjectEdits | undefined;
}

/** An object that may be moved. */
export interface MovedLine extends PlacedObject {
  /** The newline that it will have. */
  readonly newline: string;
}

export interface HeadLine extends MovedLine {
  readonly kind: 'header' | 'title';
  readonly value: JsonObject;
  /** Its fixed bytes, without a newline. */
  readonly raw: string;
  /** How many objects come before it in the file. */
  readonly before: number;
}

export interface RepairEntry extends PlacedObject {
  readonly kind: 'entry';
  readonly type: string;
  /** Only of a message. */
  readonly role: unknown;
  /** Raw values, of any type. */
  readonly id: unknown;
  readonly parentId: unknown;
  /** Other members that name an entry. */
  readonly references: readonly { readonly key: string; readonly id: string }[];
  /** Hash of its bytes, without the white space around them. */
  readonly digest: string;
  /** Whether it has a known type and content worth keeping, in spite of an unusable id or parent. */
  readonly hasPayload: boolean;
  readonly firstKeptEntryIndex: number | undefined;
  /** Only if unanswered calls are to be settled. */
  readonly tools: EntryToolUse | undefined;
  newId: string | undefined;
}

/** The tool calls or the result of a message. */
export interface EntryToolUse {
  readonly calls: readonly { readonly id: string; readonly name: string | undefined }[];
  /** The id of the call that it answers. */
  readonly answers: string | undefined;
  /** The turn was aborted or failed. */
  readonly isStopped: boolean;
  readonly timestamp: string | undefined;
}

export type RepairUnit = HeadLine | RepairEntry;
/** An object on a line, in a log of any format. */
export type AnyUnit = RepairUnit | RecordUnit;

export interface ObjectFinding {
  readonly unit: RepairUnit;
  /** The rule that found it, whose fix runs. */
  readonly found: string;
  /** The rule for the edits: `found`, or the damage of the line if only the fix of that caused the problem. */
  readonly rule: string;
  readonly path: string | undefined;
}

/** What is known of the lines of a log, after their bytes were fixed. */
export class LineIndex {
  readonly regions: Region[] = [];
  bytes = 0;
  /** How many lines are not blank. */
  written = 0;
  /** A byte order mark stays. */
  keepsMark = false;
  firstOversizeLine = 0;
  /** The newline of the first and of the last line that has one. */
  firstNewline = '';
  lastNewline = '';
  /** The object on the last line, if the line is complete but has no newline. */
  unterminated: AnyUnit | undefined;
}

/** What must be known about a native log before output is written, after the bytes of its lines were fixed. */
export class RepairIndex extends LineIndex {
  readonly entries: RepairEntry[] = [];
  readonly headers: HeadLine[] = [];
  readonly titles: HeadLine[] = [];
  /** Findings in objects, in file order. */
  readonly findings: ObjectFinding[] = [];
  /** Ids found in garbage, with their parents; null for a root. */
  readonly salvagedParents = new Map<unknown, string | null>();
  /** In a version 1 log: positions of entries before which entries were lost. */
  readonly lostBefore: { readonly before: number; readonly rule: string }[] = [];
  /** The first whole entry, to rebuild a lost header. */
  firstEntry: { readonly bytes: string; readonly timestamp: string; readonly hasId: boolean } | undefined;
  cwd: string | undefined;
  lastTimestamp: string | undefined;

  /** omp's title slot; others are misplaced. */
  get slot(): HeadLine | undefined {
    return this.titles.find((title) => title.before === 0);
  }
}

/** The state of a repair, for the fixes of the rules: what is known of the log, and the edits so far. */
export class RepairState {
  readonly index: RepairIndex;
  /** Whether a rule's findings are fixed. */
  readonly shouldFix: (rule: string) => boolean;
  readonly version: 1 | 2 | 3;
  headerId = '';
  /** A header to insert before everything else. */
  front: NewLine | undefined;
  /** Entries that need an id, and entries that need a new parent, with the rule that found them. */
  readonly withoutId = new Set<RepairEntry>();
  readonly orphans = new Map<RepairEntry, string>();
  /**
   * The position of each entry's parent, or ROOT. All are ROOT until the `end` fix of `duplicate-id`. Then some are
   * UNRESOLVED, until that of `dangling-parent`, or LOST, until all `end` fixes have run.
   */
  readonly parents: Int32Array;
  /** By id: the first entry with it, and if it repeats the last one that `assignIds` has come to. */
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

  /**
   * False if the rule is not to be fixed or the line stays as it is. Asked before `object` for the unit of the finding;
   * for any other unit the fix asks. Edits of a frozen one are not written: leave what would need them, such as a new
   * parent for its children, as it is too.
   */
  canFix(unit: AnyUnit, rule: string): boolean {
    return !unit.frozen && this.shouldFix(rule);
  }

  /**
   * Moves an object to the quarantine; an entry only if no agent can read it, or it is an exact copy. `dangling-parent`
   * reattaches its children, if that is to be fixed too and `duplicate-id` comes later, and a compaction that kept it
   * then keeps from its child; nothing mends other references to it, and if it is the last entry, the leaf is another.
   */
  drop(unit: RepairUnit, rule: string, words: string): void {
    editsOf(unit).drop = { rule, words };
  }

  /** A member that is set twice keeps its first reason and gets the last value. */
  setMember(unit: RepairUnit, member: NewMember): void {
    const { members } = editsOf(unit);
    const at = members.findIndex(({ key }) => key === member.key);
    const earlier = members[at];
    if (!earlier) members.push(member);
    else members[at] = { ...earlier, json: member.json, words: member.words, idAfter: member.idAfter };
  }

  /** Only once per rule, however many findings the object has. */
  editInside(unit: RepairUnit, edit: InnerEdit): void {
    const { inner } = editsOf(unit);
    if (!inner.some(({ rule }) => rule === edit.rule)) inner.push(edit);
  }

  insertAfter(unit: RepairUnit, line: NewLine): void {
    editsOf(unit).after.push(line);
  }

  /** Before everything else but a title slot. */
  insertInFront(line: NewLine): void {
    const { slot } = this.index;
    if (slot && !slot.edits?.drop) this.insertAfter(slot, line);
    else this.front = line;
  }

  /** The id that an entry will have, if any. */
  idOf({ id, newId }: RepairEntry): string | undefined {
    return newId ?? asString(id);
  }

  parentOf(entry: RepairEntry): RepairEntry | undefined {
    return this.index.entries[this.parents[entry.position] as number];
  }

  /** The entry that an id means where `assignIds` is: the nearest before it, else the first after it. */
  resolve(id: unknown): RepairEntry | undefined {
    return this.current.get(id) ?? this.first.get(id);
  }

  /** Changes the parent of an entry; undefined makes it a root. */
  reattach(entry: RepairEntry, parentId: string | undefined, rule: string): void {
    const words = parentId === undefined ? 'made the entry a root' : `reattached the entry to '${parentId}'`;
    const idBefore = typeof entry.parentId === 'string' && entry.parentId !== '' ? entry.parentId : undefined;
    const json = JSON.stringify(parentId ?? null);
    this.setMember(entry, { key: 'parentId', json, rule, words, idBefore, idAfter: parentId });
  }

  /** A new id: the same in every run, and unused in the file. */
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

/** The edits of an object, created on first use. */
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
