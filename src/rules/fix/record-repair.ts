import type { BlockFacts, RecordEditor, RecordFacts } from '../../formats/format.ts';
import { isInside, isInsideAny } from '../../json/path.ts';
import { applySplices, skipSpace } from '../../json/text.ts';
import { type JsonObject, parseObject } from '../../json/value.ts';
import { decodeUtf8 } from '../../lines/line.ts';
import { RecordLog } from '../check/record-log.ts';
import { InsideChanges, type PathChange } from './inside-changes.ts';
import { type ChangeReason, editsOf, type InnerEdit, LineIndex, type MovedLine, type NewLine } from './repair-state.ts';

/** A record of another agent's log in its repaired state. */
export interface RecordUnit extends MovedLine {
  readonly kind: 'record';
  facts: RecordFacts;
  /** Equal for records with the same text and changes. */
  digest: string;
  /** Hash of the original text. */
  readonly origin: string;
  /** Its position among the records that remain. */
  order: number;
  /** Only of a header, and of a compaction that keeps records. */
  readonly value: JsonObject | undefined;
  /** Its facts with the missing members that can be inferred; undefined where there are none. */
  readonly inferredFacts: RecordFacts | undefined;
  /** Only of a header: its fixed bytes, without a newline. */
  readonly raw: string | undefined;
  /** An inserted record, whose text is made when it is written. */
  readonly isNew: boolean;
  /** The changes inside it, if any. */
  inside: InsideChanges | undefined;
}

/** The changes inside a record, created on first use. */
export function insideOf(unit: RecordUnit): InsideChanges {
  unit.inside ??= new InsideChanges();
  return unit.inside;
}

export interface RecordFinding {
  readonly unit: RecordUnit;
  readonly rule: string;
  readonly path: string | undefined;
}

/** What is known of the records of a log, after the bytes of its lines were fixed. */
export class RecordIndex extends LineIndex {
  readonly units: RecordUnit[] = [];
  /** The first records, to rebuild a lost header. */
  readonly first: JsonObject[] = [];
  /** The start of the first line, to rebuild a torn header. */
  start = '';
  readonly findings: RecordFinding[] = [];
  lines = 0;
}

/** The state of a repair of another agent's log: its records as they will be, and the changes so far. */
export class RecordRepair {
  readonly index: RecordIndex;
  readonly edit: RecordEditor;
  /** The records that remain, in order. */
  units: readonly RecordUnit[];
  /** Facts of these records; positions in it are their `order`. */
  log = new RecordLog(new Uint8Array(8));
  /** A header to insert before everything else. */
  front: NewLine | undefined;
  /** The same header, if it is new. */
  header: JsonObject | undefined;
  /** Receives each removed image: its base64 text and its bytes. */
  keepImage: ((data: string, bytes: Buffer) => void) | undefined;
  changes = 0;
  /** Damaged lines that stay, although a fix needs to change them. */
  readonly blocked = new Set<number>();
  /** Inserted results, by the record before them. */
  readonly #inserted = new Map<RecordUnit, RecordUnit[]>();
  /** Records whose facts still have blocks that were removed. */
  readonly #losing = new Set<RecordUnit>();
  /** The last record that results were made for, parsed: it may have many calls. */
  #answered: { readonly record: string; readonly value: JsonObject } | undefined;
  #naming: Map<string, RecordUnit[]> | undefined;
  #before: Int32Array | undefined;
  #hasForward: boolean | undefined;

  constructor(index: RecordIndex, edit: RecordEditor) {
    this.index = index;
    this.edit = edit;
    this.units = index.units;
  }

  /** Returns the records after the fixes so far, to be checked again. */
  next(): readonly RecordUnit[] {
    const units: RecordUnit[] = [];
    const isMoved = (unit: RecordUnit): boolean => unit.edits?.moved !== undefined;
    for (const unit of [...this.units.filter(isMoved), ...this.units.filter((one) => !isMoved(one))]) {
      if (unit.edits?.drop || unit.isNew) continue;
      for (const one of [unit, ...(this.#inserted.get(unit) ?? [])]) {
        one.order = units.length;
        units.push(one);
      }
    }
    this.#naming = undefined;
    this.#before = undefined;
    this.#hasForward = undefined;
    this.units = units;
    return units;
  }

  /** Whether its line is damaged and stays as it is. */
  isFrozen({ frozen, line }: RecordUnit): boolean {
    if (frozen) this.blocked.add(line);
    return frozen;
  }

  find(id: string): RecordUnit | undefined {
    const unit = this.units[this.log.find(id)];
    return unit?.edits?.drop ? undefined : unit;
  }

  /** Sets a path of a record that is not frozen. Set twice, it keeps its first reason and gets the last value. */
  set(unit: RecordUnit, path: string, json: PathChange['json'], reason: ChangeReason): void {
    const { set } = insideOf(unit);
    const earlier = set.get(path);
    set.set(path, { ...reason, ...(earlier ? { rule: earlier.rule, idBefore: earlier.idBefore } : {}), json });
    unit.digest += `\0${path}=${typeof json === 'string' ? json : ''}`;
    const issues = unit.facts.issues.filter((issue) => issue.path !== path);
    unit.facts = { ...unit.facts, issues };
    this.changes++;
  }

  /** Sets a missing member to what the rest of the record implies. */
  setInferred(unit: RecordUnit, path: string, value: string, rule: string): void {
    const words = `set ${path} to '${value}', as the rest of the record shows`;
    this.set(unit, path, JSON.stringify(value), { rule, words });
    const { id, parentId, issues } = unit.facts;
    unit.facts = { ...(unit.inferredFacts ?? unit.facts), id, parentId, issues };
  }

  /** Gives a record a new id, at the id path of its format. */
  setId(unit: RecordUnit, path: string, rule: string): string {
    const { id: idBefore } = unit.facts;
    const id = this.newId(unit);
    const words = idBefore === undefined ? `set the id to '${id}'` : `changed the id to '${id}'`;
    this.set(unit, path, JSON.stringify(id), { rule, words, idBefore, idAfter: id });
    unit.facts = { ...unit.facts, id };
    return id;
  }

  /** A new id: the same in every run, and unused in the file. */
  newId(unit: RecordUnit, salt = ''): string {
    for (let attempt = 0; ; attempt++) {
      const id = this.edit.newId(`${unit.origin}\0${unit.order}\0${salt}\0${attempt}`);
      if (this.log.find(id) < 0 && this.namedBy(id).length === 0) return id;
    }
  }

  /** Changes the parent of a record; null makes it a root. */
  setParent(unit: RecordUnit, parentId: string | null, rule: string): void {
    const { paths } = this.edit;
    const { parentId: before } = unit.facts;
    if (paths.parentId === undefined || before === parentId || this.isFrozen(unit)) return;
    if (!unit.isNew) {
      const words = parentId === null ? 'made the record a root' : `reattached the record to '${parentId}'`;
      const ids = { idBefore: before ?? undefined, idAfter: parentId ?? undefined };
      this.set(unit, paths.parentId, JSON.stringify(parentId), { rule, words, ...ids });
    }
    unit.facts = { ...unit.facts, parentId };
    if (parentId !== null) this.#name(parentId, unit);
  }

  /** The nearest record before it in its conversation that can be a parent. */
  before(unit: RecordUnit): RecordUnit | undefined {
    this.#before ??= this.#findBefore();
    let at = this.#before[unit.order] as number;
    while (this.units[at]?.edits?.drop) at = this.#before[at] as number;
    this.#before[unit.order] = at;
    return this.units[at];
  }

  #findBefore(): Int32Array {
    const before = new Int32Array(this.units.length);
    const last = new Map<string, number>();
    for (const [at, { facts }] of this.units.entries()) {
      before[at] = last.get(facts.conversation) ?? -1;
      if (facts.isInConversation && facts.id !== undefined) last.set(facts.conversation, at);
    }
    return before;
  }

  /** Whether any record comes before its parent. */
  hasForward(): boolean {
    this.#hasForward ??= this.units.some(({ order }) => this.log.parentOf(order) > order);
    return this.#hasForward;
  }

  /** The records that name an id as parent or leaf. */
  namedBy(id: string): RecordUnit[] {
    this.#naming ??= this.#findNaming();
    const named = this.#naming.get(id) ?? [];
    const still = named.filter(({ facts, edits }) => !edits?.drop && (facts.parentId === id || facts.leaf === id));
    if (still.length < named.length) this.#naming.set(id, still);
    return [...still];
  }

  #name(id: string, unit: RecordUnit): void {
    const known = this.#naming?.get(id);
    if (known) known.push(unit);
    else this.#naming?.set(id, [unit]);
  }

  #findNaming(): Map<string, RecordUnit[]> {
    this.#naming = new Map();
    for (const unit of this.units)
      for (const id of [unit.facts.parentId, unit.facts.leaf]) if (typeof id === 'string') this.#name(id, unit);
    return this.#naming;
  }

  /** Makes records refer to another id; null for none. */
  rename(named: readonly RecordUnit[], id: string, to: string | null, rule: string): void {
    const { leaf } = this.edit.paths;
    for (const unit of named) {
      if (unit.facts.parentId === id) this.setParent(unit, to, rule);
      if (unit.facts.leaf !== id || leaf === undefined || to === null || this.isFrozen(unit)) continue;
      this.set(unit, leaf, JSON.stringify(to), {
        rule,
        words: `changed the leaf to '${to}'`,
        idBefore: id,
        idAfter: to,
      });
      unit.facts = { ...unit.facts, leaf: to };
    }
  }

  /** Moves the record to the quarantine; its children are attached to its parent. */
  drop(unit: RecordUnit, rule: string, words: string): void {
    if (unit.isNew || unit.edits?.drop) return;
    const { id, parentId = null } = unit.facts;
    const isFirst = id !== undefined && this.log.find(id) === unit.order;
    editsOf(unit).drop = { rule, words };
    this.changes++;
    if (isFirst) this.rename(this.namedBy(id), id, parentId, rule);
  }

  /** Removes a block and quarantines the old line; drops the record if no block is left. */
  removeBlock(unit: RecordUnit, path: string, rule: string, words: string): void {
    const { removed, lengths, leaving } = insideOf(unit);
    if (removed.has(path)) return;
    const list = listOf(path) ?? '';
    const left = (leaving.get(list) ?? 0) + 1;
    const length = lengths.get(list) ?? unit.facts.blocks.filter((block) => !isInside(block.path, path)).length + left;
    if (list === '' || length <= left) {
      this.drop(unit, rule, 'moved the record to quarantine');
      return;
    }
    lengths.set(list, length);
    leaving.set(list, left);
    removed.set(path, { rule, words });
    unit.digest += `\0-${path}`;
    this.keepOld(unit, rule);
    this.#losing.add(unit);
    this.changes++;
  }

  /** Updates the facts of records with removed blocks; once per fix, because a record may have many. */
  forgetRemoved(): void {
    for (const unit of this.#losing) {
      const { removed } = insideOf(unit);
      const stays = ({ path }: { readonly path: string }): boolean => !isInsideAny(path, removed);
      unit.facts = { ...unit.facts, blocks: unit.facts.blocks.filter(stays), issues: unit.facts.issues.filter(stays) };
    }
    this.#losing.clear();
  }

  /** Also puts the original line into the quarantine. */
  keepOld(unit: RecordUnit, rule: string): void {
    editsOf(unit).keepsOld ??= rule;
  }

  /** Edits the text of a record directly; the old line goes to the quarantine. */
  rewrite(unit: RecordUnit, edit: InnerEdit): void {
    editsOf(unit).inner.push(edit);
    this.keepOld(unit, edit.rule);
    unit.digest += `\0${edit.rule}`;
    unit.facts = { ...unit.facts, issues: unit.facts.issues.filter(({ rule }) => rule !== edit.rule) };
    this.changes++;
  }

  /** Updates the facts of the blocks at these paths. */
  changeBlocks(unit: RecordUnit, changes: ReadonlyMap<string, Partial<BlockFacts>>): void {
    const blocks = unit.facts.blocks.map((block) => ({ ...block, ...changes.get(block.path) }));
    unit.facts = { ...unit.facts, blocks };
  }

  /** The calls and results with an id, in order. */
  usesOf(callId: string): { readonly unit: RecordUnit; readonly block: BlockFacts }[] {
    const symbol = this.log.callIds.find(callId);
    const uses = [...this.log.calls.of(symbol), ...this.log.results.of(symbol)];
    let last: RecordUnit | undefined;
    let blocks = new Map<string, BlockFacts>();
    return uses
      .sort((one, other) => one.position - other.position)
      .map(({ position, path }) => {
        const unit = this.units[position] as RecordUnit;
        if (unit !== last) blocks = blocksOf(unit, callId);
        last = unit;
        return { unit, block: blocks.get(path) as BlockFacts };
      });
  }

  callIds(): string[] {
    return this.units.flatMap(({ facts }) => facts.blocks.flatMap((one) => one.callId ?? []));
  }

  /** Inserts a result after a record, as its child; the record's children are attached to the result. */
  insertResult(anchor: RecordUnit, { callId = '', callType }: BlockFacts, rule: string, text: string): void {
    if (this.isFrozen(anchor)) return;
    const { conversation, timestamp, messageId } = anchor.facts;
    const earlier = this.#inserted.get(anchor) ?? [];
    const { id: parentId } = (earlier.at(-1) ?? anchor).facts;
    const id = this.newId(anchor, callId);
    const hasTree = this.edit.paths.parentId !== undefined;
    const block: BlockFacts = { kind: 'result', path: '', callId };
    const unit: RecordUnit = {
      ...anchor,
      edits: undefined,
      isNew: true,
      inferredFacts: undefined,
      digest: id,
      inside: undefined,
      offset: -1 - this.changes,
      facts: {
        isInConversation: true,
        conversation,
        role: 'result',
        blocks: [block],
        timestamp,
        issues: [],
        ...(hasTree ? { id, parentId: parentId ?? null } : {}),
      },
    };
    if (hasTree && parentId !== undefined) {
      const goesOn = ({ facts }: RecordUnit): boolean => facts.messageId === undefined || facts.messageId !== messageId;
      const below = this.namedBy(parentId).filter((one) => one.order > anchor.order && goesOn(one));
      this.rename(below, parentId, id, rule);
      this.#name(parentId, unit);
    }
    const make = (record: string): string => {
      const answer = { callId, callType, id, parentId: unit.facts.parentId ?? undefined, text };
      if (this.#answered?.record !== record) this.#answered = { record, value: parseObject(record) as JsonObject };
      return JSON.stringify(this.edit.result(this.#answered.value, answer));
    };
    const words = `inserted a result for call '${callId}'`;
    editsOf(anchor).after.push({ text: make, rule, words, ...(hasTree ? { idAfter: id } : {}) });
    earlier.push(unit);
    this.#inserted.set(anchor, earlier);
    this.changes++;
  }

  /** Inserts a line before all others. */
  putInFront(line: NewLine): void {
    this.front = line;
    this.changes++;
  }

  moveToFront(unit: RecordUnit, reason: ChangeReason): void {
    editsOf(unit).moved = reason;
    this.putInFront({ text: '', rule: reason.rule, words: '', source: unit });
  }

  /** Turns the changes of all records into edits of their text. */
  finish(): void {
    for (const unit of this.index.units) {
      if (unit.edits?.drop) continue;
      const inner = unit.inside ? unit.inside.edits() : [];
      if (inner.length > 0) editsOf(unit).inner.push(...inner);
      const { raw } = unit;
      if (!unit.edits?.moved || raw === undefined || this.front?.source !== unit) continue;
      const splices = inner.flatMap((one) => one.splices(raw, skipSpace(raw, 0)));
      this.front = { ...this.front, text: decodeUtf8(applySplices(raw, splices)) };
    }
  }
}

/** The path of the list that a block path is in. */
export function listOf(path: string): string | undefined {
  return /^(.*?)\[\d+\]/.exec(path)?.[1];
}

/** The blocks of a record with a call id, by path. */
function blocksOf({ facts }: RecordUnit, callId: string): Map<string, BlockFacts> {
  const blocks = facts.blocks.filter((block) => block.callId === callId);
  return new Map(blocks.reverse().map((block) => [block.path, block]));
}
