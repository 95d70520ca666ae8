import { messageOf, versionByEntry, versionOf } from '../../entries/envelope-check.ts';
import type { KnownVersion } from '../../entries/schema/index.ts';
import { entryTypeOf, isShown } from '../../entries/types/index.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { type EntryRanges, HEADER_PARENT, LogIndex, MISSING_PARENT } from '../../log/log-index.ts';
import { cycles } from '../../tree/children.ts';
import { float64Column, uint8Column, uint32Column } from '../../util/column.ts';
import { Symbols } from '../../util/symbols.ts';
import type { CheckedObject, Place } from '../rule.ts';
import type { BlobLookup } from './blob-check.ts';
import { readTime } from './time.ts';

/** In the place of a number of 32 bits: there is none. */
const NO_NOTE = 0xffff_ffff;

/** What the rules ask of an entry's kind; the index keeps it in its flags. */
export const KIND = {
  other: 0,
  user: 1,
  assistant: 2,
  /** An assistant turn that was aborted or failed: its calls were never run. */
  cutTurn: 3,
  toolResult: 4,
  otherMessage: 5,
  /** No message, but it shows the model something, as a compaction does. */
  shown: 6,
} as const;

export interface LostParent {
  readonly position: number;
  readonly parentId: string;
  readonly line: number;
}

export interface ForwardParent {
  readonly position: number;
  readonly parentId: string;
  readonly parent: number;
}

/** A reference to another entry that is not its parent. */
export interface Reference {
  readonly kind: 'label' | 'kept' | 'from';
  readonly position: number;
  readonly id: string;
}

/** The entry that was added last, as rules on neighbours need it. */
export interface LastEntry {
  readonly line: number;
  readonly role: string | undefined;
  readonly parentId: unknown;
  readonly time: number | undefined;
}

/** An entry on its way into the facts. */
export interface JoiningEntry {
  readonly id: string | undefined;
  /** As it stands in the entry: undefined where it has none. */
  readonly parentId: unknown;
  readonly type: string;
  readonly role: string | undefined;
  /** One of KIND. */
  readonly kind: number;
  readonly time: number | undefined;
  readonly line: number;
  readonly offset: number;
}

/** What all rules know about a log: grows line by line, complete after `finish`. */
export class LogFacts {
  lines = 0;
  /** Headers, title slots and entries. */
  objects = 0;
  headers = 0;
  headerLine = 0;
  headerId: string | undefined;
  hasParentSession = false;
  version: KnownVersion | undefined;
  firstEntryLine = 0;
  firstOversizeLine = 0;
  roots = 0;
  /** Any tool result that names its call. */
  hasResults = false;
  last: LastEntry | undefined;

  lostParents: readonly LostParent[] = [];
  forwardParents: readonly ForwardParent[] = [];
  headerChildren: readonly number[] = [];
  cycles: readonly { readonly position: number; readonly length: number }[] = [];
  readonly references: Reference[] = [];

  readonly index: LogIndex;
  readonly calls = new Calls();
  /** Ids of tool calls. */
  readonly callIds: Symbols;
  readonly #times = float64Column();
  readonly #unresolved = new Map<number, string>();
  #cut: ReadonlySet<number> = new Set();

  readonly blobs: BlobLookup | undefined;

  /** The key is 8 random bytes, for the tables of ids. */
  constructor(hashKey: Uint8Array, blobs?: BlobLookup) {
    this.index = new LogIndex(hashKey);
    this.callIds = new Symbols(hashKey);
    this.blobs = blobs;
  }

  get size(): number {
    return this.index.size;
  }

  /** The version to read the next entry by: the header's, else what the first entry shows. */
  versionFor(value: JsonObject): KnownVersion {
    return this.version ?? versionByEntry(value);
  }

  find(id: string): number {
    return this.index.find(id);
  }

  lineOf(position: number): number {
    return this.index.lineOf(position);
  }

  idOf(position: number): string | undefined {
    return this.index.idOf(position);
  }

  /** NaN where the entry has no readable time. */
  timeOf(position: number): number {
    return this.#times.at(position);
  }

  kindOf(position: number): number {
    return this.index.flagsOf(position);
  }

  /** Negative for a root, and for the entry at which a cycle is cut. */
  parentOf(position: number): number {
    return this.#cut.size > 0 && this.#cut.has(position) ? -1 : this.index.parentOf(position);
  }

  placeOf(position: number, path?: string): Place {
    return {
      line: this.index.lineOf(position),
      offset: this.index.offsetOf(position),
      entryId: this.idOf(position),
      path,
    };
  }

  addHeader(object: CheckedObject): void {
    this.objects++;
    this.headers++;
    if (this.headers > 1) return;
    const { id, parentSession } = object.value;
    this.headerLine = object.line.number;
    this.version = versionOf(object.value).version;
    this.hasParentSession = typeof parentSession === 'string' && parentSession !== '';
    if (typeof id === 'string') {
      this.headerId = id;
      this.index.addHeader(id);
    }
  }

  addTitle(): void {
    this.objects++;
  }

  addEntry(object: CheckedObject): void {
    const { value, line, id } = object;
    const message = messageOf(value);
    const role = typeof message?.['role'] === 'string' ? message['role'] : undefined;
    const type = typeof value['type'] === 'string' ? value['type'] : '';
    const position = this.join({
      id,
      parentId: value['parentId'],
      type,
      role,
      kind: kindOf(type, role, message),
      time: readTime(value['timestamp']),
      line: line.number,
      offset: line.offset,
    });
    this.#addReferences(position, type, value);
    if (message) this.#addTools(position, role, message);
  }

  /** Takes an entry in by what the rules need of it. Gives its position. */
  join(entry: JoiningEntry): number {
    const { id, parentId, time } = entry;
    this.objects++;
    if (this.firstEntryLine === 0) {
      this.firstEntryLine = entry.line;
      this.version ??= id === undefined ? 1 : 3;
    }
    const position = this.index.add({
      id,
      parentId: typeof parentId === 'string' ? parentId : null,
      ...(this.version === 1 && parentId === undefined ? { parent: this.size - 1 } : {}),
      type: entry.type,
      role: entry.role,
      line: entry.line,
      offset: entry.offset,
      length: NO_NOTE,
      flags: entry.kind,
    });
    this.#times.push(time ?? Number.NaN);
    if (parentId === null) this.roots++;
    if (typeof parentId === 'string' && this.index.parentOf(position) < 0) this.#unresolved.set(position, parentId);
    this.last = { line: entry.line, role: entry.type === 'message' ? entry.role : undefined, parentId, time };
    return position;
  }

  /** The same for an entry that the scanner took down; false, and nothing joined, where there is more to say about it. */
  joinPlain(entry: EntryRanges, isRoot: boolean, time: number, last: LastEntry | undefined): boolean {
    entry.length = NO_NOTE;
    const position = this.index.addRanges(entry, true);
    if (position < 0) return false;
    this.objects++;
    if (this.firstEntryLine === 0) {
      this.firstEntryLine = entry.line;
      this.version ??= this.index.hasId(position) ? 3 : 1;
    }
    this.#times.push(time);
    if (isRoot) this.roots++;
    this.last = last;
    return true;
  }

  addPlainCall(position: number, bytes: Uint8Array, start: number, length: number, block: number): void {
    this.#addCall(position, this.callIds.internBytes(bytes, start, start + length), block);
  }

  addPlainResult(position: number, bytes: Uint8Array, start: number, length: number): void {
    this.#addResult(position, this.callIds.internBytes(bytes, start, start + length));
  }

  /** The first call of an assistant message; the others follow. -1 where it has none. */
  firstCall(position: number): number {
    const note = this.index.noteOf(position);
    return note === NO_NOTE ? -1 : note;
  }

  /** The symbol of the call id of the result at a position; -1 where it has none. */
  resultId(position: number): number {
    const note = this.index.noteOf(position);
    return note === NO_NOTE ? -1 : note;
  }

  #addResult(position: number, id: number): void {
    this.hasResults = true;
    this.index.setNote(position, id);
  }

  #addCall(position: number, id: number, block: number): void {
    const isFirst = this.index.noteOf(position) === NO_NOTE;
    if (isFirst) this.index.setNote(position, this.calls.length);
    this.calls.add(id, block, !isFirst);
  }

  finish(): void {
    this.index.finish();
    const lost: LostParent[] = [];
    const forward: ForwardParent[] = [];
    const headerChildren: number[] = [];
    for (const [position, parentId] of this.#unresolved) {
      const parent = this.index.parentOf(position);
      if (parent >= 0) forward.push({ position, parentId, parent });
      else if (parent === HEADER_PARENT || parentId === this.headerId) headerChildren.push(position);
      else if (parent === MISSING_PARENT) lost.push({ position, parentId, line: this.lineOf(position) });
    }
    this.#unresolved.clear();
    this.lostParents = lost;
    this.headerChildren = headerChildren;
    const inCycle = new Set<number>();
    this.cycles = cycles(this.index).map((position) => {
      const members = membersOf(this.index, position);
      for (const member of members) inCycle.add(member);
      return { position, length: members.length };
    });
    this.forwardParents = inCycle.size > 0 ? forward.filter(({ position }) => !inCycle.has(position)) : forward;
    this.#cut = new Set(this.cycles.map(({ position }) => position));
  }

  #addReferences(position: number, type: string, value: JsonObject): void {
    for (const [key, kind] of Object.entries(entryTypeOf(type)?.references ?? {})) {
      const id = value[key];
      if (typeof id === 'string' && id !== '') this.references.push({ kind, position, id });
    }
  }

  #addTools(position: number, role: string | undefined, message: JsonObject): void {
    if (role === 'toolResult') {
      const { toolCallId } = message;
      if (typeof toolCallId === 'string') this.#addResult(position, this.callIds.intern(toolCallId));
    } else if (role === 'assistant' && Array.isArray(message['content'])) {
      // An id that is used twice in one message is a finding of its own; its result answers both.
      const seen = new Set<string>();
      message['content'].forEach((block: unknown, at) => {
        if (
          !isObject(block) ||
          block['type'] !== 'toolCall' ||
          typeof block['id'] !== 'string' ||
          seen.has(block['id'])
        )
          return;
        seen.add(block['id']);
        this.#addCall(position, this.callIds.intern(block['id']), at);
      });
    }
  }
}

/** In the byte of a call: another call of the same message follows. */
const MORE = 0x80;
/** In the byte of a call: the block's place is kept aside. */
const FAR = 0x7f;

/** Tool calls in file order: the symbol of the id, and the block. Those of one message are together. */
export class Calls {
  readonly #ids = uint32Column();
  readonly #blocks = uint8Column();
  /** Places of blocks that do not fit into seven bits. */
  readonly #far = new Map<number, number>();

  get length(): number {
    return this.#ids.size;
  }

  add(id: number, block: number, isOfTheSameMessage: boolean): void {
    const call = this.length;
    if (isOfTheSameMessage) this.#blocks.set(call - 1, this.#blocks.at(call - 1) | MORE);
    if (block >= FAR) this.#far.set(call, block);
    this.#ids.push(id);
    this.#blocks.push(Math.min(block, FAR));
  }

  id(call: number): number {
    return this.#ids.at(call);
  }

  block(call: number): number {
    return this.#far.get(call) ?? this.#blocks.at(call) % MORE;
  }

  /** The next call of the same message, or -1. */
  next(call: number): number {
    return this.#blocks.at(call) >= MORE ? call + 1 : -1;
  }
}

function kindOf(type: string, role: string | undefined, message: JsonObject | undefined): number {
  if (type !== 'message') return isShown(type) ? KIND.shown : KIND.other;
  if (role === 'user') return KIND.user;
  if (role === 'toolResult') return KIND.toolResult;
  if (role !== 'assistant') return KIND.otherMessage;
  const stop = message?.['stopReason'];
  return stop === 'aborted' || stop === 'error' ? KIND.cutTurn : KIND.assistant;
}

/** The entries of the cycle that an entry is part of. */
function membersOf(index: LogIndex, position: number): number[] {
  const members = [position];
  for (let next = index.parentOf(position); next !== position; next = index.parentOf(next)) members.push(next);
  return members;
}
