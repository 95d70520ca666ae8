import { createHash } from 'node:crypto';
import { versionOf } from '../../entries/envelope-check.ts';
import { stableId } from '../../formats/native/ids.ts';
import type { Definitions } from './assign-ids.ts';
import type { HeadLine, InnerEdit, NewLine, NewMember, ObjectEdits, Unit } from './repair-edits.ts';
import { Flag, type RepairIndex } from './repair-index.ts';

/** A root, for the tree. */
export const ROOT = -1;
/** Nothing in the log has the id that it names as its parent. */
export const UNRESOLVED = -2;
/** Its parent is lost, or runs in a circle. */
export const LOST = -3;

export interface RepairSettings {
  /** Whether a rule's findings are fixed. */
  readonly wants: (rule: string) => boolean;
  /** What ranges of the log hold, as digests: asked for only where ids repeat. */
  readonly digests: (
    ranges: readonly { readonly offset: number; readonly length: number }[],
  ) => Promise<readonly string[]>;
}

/** A log under repair, for the fixes of the rules: what is known of it, and what is to be done to it so far. */
export class RepairState {
  readonly index: RepairIndex;
  readonly settings: RepairSettings;
  /** By entry. */
  readonly edits = new Map<number, ObjectEdits>();
  readonly version: 1 | 2 | 3;
  headerId = '';
  /** By entry, where it changes: the number of its new id. */
  readonly newIds = new Map<number, number>();
  /** The header where it is put in front of everything else. */
  front: NewLine | undefined;
  /** Entries that get an id, and those that need a new parent, with the rule that says so. */
  readonly idless = new Set<number>();
  readonly orphans = new Map<number, string>();
  /** The tree as it will be: the parent of each entry, or ROOT. */
  parents: Int32Array;
  definitions: Definitions | undefined;

  constructor(index: RepairIndex, settings: RepairSettings) {
    this.index = index;
    this.settings = settings;
    this.parents = new Int32Array(index.size).fill(ROOT);
    const header = index.headers[0]?.value;
    if (header) this.version = versionOf(header).version;
    else this.version = index.firstEntry?.hasId === false ? 1 : 3;
    if (typeof header?.['id'] === 'string') this.headerId = header['id'];
  }

  has(entry: number, flag: number): boolean {
    return (this.index.flags.at(entry) & flag) !== 0;
  }

  isDropped(entry: number): boolean {
    return this.edits.get(entry)?.drop !== undefined;
  }

  editsOf(unit: Unit): ObjectEdits | undefined {
    return typeof unit === 'number' ? this.edits.get(unit) : unit.edits;
  }

  /** False where the rule is not wanted or the line stays as it is. */
  mayFix(unit: Unit, rule: string): boolean {
    const frozen = typeof unit === 'number' ? this.has(unit, Flag.frozen) : unit.frozen;
    return !frozen && this.settings.wants(rule);
  }

  drop(unit: Unit, rule: string, words: string): void {
    this.#edit(unit).drop = { rule, words };
  }

  move(header: HeadLine, moved: NonNullable<ObjectEdits['moved']>): void {
    this.#edit(header).moved = moved;
  }

  endLine(unit: Unit): void {
    this.#edit(unit).endsLine = true;
  }

  /** A member that is set twice keeps its first reason and gets its last value. */
  setMember(unit: Unit, member: NewMember): void {
    const { members } = this.#edit(unit);
    const earlier = members.find((one) => one.key === member.key);
    if (!earlier) {
      members.push(member);
      return;
    }
    earlier.json = member.json;
    earlier.words = member.words;
    earlier.idAfter = member.idAfter;
  }

  /** Once per rule, however often it found something in the object. */
  editInside(unit: Unit, edit: InnerEdit): void {
    const { inner } = this.#edit(unit);
    if (!inner.some(({ rule }) => rule === edit.rule)) inner.push(edit);
  }

  insertAfter(unit: Unit, line: NewLine): void {
    this.#edit(unit).after.push(line);
  }

  /** In front of everything else but a title slot. */
  insertInFront(line: NewLine): void {
    const { slot } = this.index;
    if (slot && !slot.edits?.drop) this.insertAfter(slot, line);
    else this.front = line;
  }

  /** The id that an entry will have, or undefined where it has none. */
  idOf(entry: number): string | undefined {
    const symbol = this.newIds.get(entry) ?? this.index.ids.at(entry);
    return symbol < 0 ? undefined : this.index.symbols.text(symbol);
  }

  /** What an entry names as its parent. */
  parentIdOf(entry: number): string | undefined {
    const symbol = this.index.parents.at(entry);
    return symbol < 0 ? undefined : this.index.symbols.text(symbol);
  }

  /** Gives an entry another parent; none makes it a root. */
  reattach(entry: number, parentId: string | undefined, rule: string): void {
    const words = parentId === undefined ? 'made the entry a root' : `reattached the entry to '${parentId}'`;
    const ids = { idBefore: this.parentIdOf(entry), idAfter: parentId };
    this.setMember(entry, { key: 'parentId', json: JSON.stringify(parentId ?? null), rule, words, ...ids });
  }

  /** The last entry that stays; -1 where there is none. */
  get lastEntry(): number {
    let last = this.index.size - 1;
    while (last >= 0 && this.isDropped(last)) last--;
    return last;
  }

  /** A new id, which is the same in every run and is named nowhere in the file. */
  mint(position: number): string {
    const { symbols } = this.index;
    for (let attempt = 0; ; attempt++) {
      const id = stableId(this.headerId, position, attempt);
      if (id === this.headerId || symbols.find(id) >= 0) continue;
      symbols.intern(id);
      return id;
    }
  }

  #edit(unit: Unit): ObjectEdits {
    const edits = this.editsOf(unit) ?? { members: [], inner: [], after: [] };
    if (typeof unit === 'number') this.edits.set(unit, edits);
    else unit.edits = edits;
    return edits;
  }
}

/** An id for a header: the first half of the bytes' SHA-256, written as a UUID is. */
export function uuidOf(bytes: string): string {
  const hex = createHash('sha256').update(Buffer.from(bytes, 'latin1')).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
