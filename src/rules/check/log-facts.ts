import { messageOf, versionByEntry, versionOf } from '../../entries/envelope-check.ts';
import type { KnownVersion } from '../../entries/schema/index.ts';
import { entryTypeOf } from '../../entries/types/index.ts';
import { asString, isObject, type JsonObject } from '../../json/value.ts';
import { type EntryRanges, HEADER_PARENT, LogIndex, MISSING_PARENT } from '../../log/log-index.ts';
import { isStopped } from '../../transcript/turns.ts';
import { cycles } from '../../tree/children.ts';
import { float64Column, uint32Column } from '../../util/column.ts';
import { Symbols } from '../../util/symbols.ts';
import type { BlobLookup, CheckedObject, FindingPlace } from '../rule.ts';
import type { BranchFacts } from './branch-facts.ts';

/** No value, in a 32-bit column. */
const NO_NOTE = 0xffff_ffff;

/** The kinds of entries that rules distinguish; stored in the flags of the index. */
export const KIND = {
  other: 0,
  user: 1,
  assistant: 2,
  /** An assistant turn that was aborted or failed: its calls were never run. */
  stoppedTurn: 3,
  toolResult: 4,
} as const;

/** An entry whose parentId is not the id of an entry before it. */
interface UnusualParent {
  readonly position: number;
  readonly parentId: string;
  /** Its position; negative if there is none. */
  readonly parent: number;
}

/** A reference to another entry, besides the parent. */
interface EntryReference {
  readonly kind: 'label' | 'kept' | 'from';
  readonly position: number;
  readonly id: string;
}

/** The entry added last, for rules that compare neighbors. */
export interface LastEntry {
  readonly line: number;
  readonly role: string | undefined;
  readonly parentId: unknown;
  readonly time: number | undefined;
}

/** What rules know about a native log: grows line by line, complete after `finish`. */
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
  /** Whether a tool result names its call. */
  hasResults = false;
  last: LastEntry | undefined;

  lostParents: readonly UnusualParent[] = [];
  forwardParents: readonly UnusualParent[] = [];
  headerChildren: readonly UnusualParent[] = [];
  cycles: readonly { readonly position: number; readonly length: number }[] = [];
  readonly references: EntryReference[] = [];
  /** Set by branchFacts. */
  branches: BranchFacts | undefined;

  readonly index: LogIndex;
  readonly calls = new CallColumns();
  /** Ids of tool calls. */
  readonly callIds: Symbols;
  readonly blobs: BlobLookup | undefined;
  readonly #times = float64Column();
  readonly #unresolved = new Map<number, string>();
  #cut: ReadonlySet<number> = new Set();

  /** `hashKey` is 8 random bytes. */
  constructor(hashKey: Uint8Array, blobs?: BlobLookup) {
    this.index = new LogIndex(hashKey);
    this.callIds = new Symbols(hashKey);
    this.blobs = blobs;
  }

  /** The version for the next entry: the header's, else inferred from the entry. */
  versionFor(value: JsonObject): KnownVersion {
    return this.version ?? versionByEntry(value);
  }

  /** NaN if the entry has no valid time. */
  timeOf(position: number): number {
    return this.#times.at(position);
  }

  kindOf(position: number): number {
    return this.index.flagsOf(position);
  }

  /** Negative for a root, and for the entry where a cycle is cut. */
  parentOf(position: number): number {
    return this.#cut.size > 0 && this.#cut.has(position) ? -1 : this.index.parentOf(position);
  }

  placeOf(position: number, path?: string): FindingPlace {
    const { index } = this;
    return { line: index.lineOf(position), offset: index.offsetOf(position), entryId: index.idOf(position), path };
  }

  /** Of an assistant message the index of its first call, of a result the symbol of its call id; else -1. */
  noteOf(position: number): number {
    return this.index.noteOf(position) | 0;
  }

  /** The id of the call that a result answers. */
  resultId(position: number): string {
    return this.callIds.text(this.noteOf(position));
  }

  addHeader({ value, line }: CheckedObject): void {
    this.objects++;
    this.headers++;
    if (this.headers > 1) return;
    const { id, parentSession } = value;
    this.headerLine = line.number;
    this.version = versionOf(value).version;
    this.hasParentSession = typeof parentSession === 'string' && parentSession !== '';
    if (typeof id === 'string') {
      this.headerId = id;
      this.index.addHeader(id);
    }
  }

  addTitle(): void {
    this.objects++;
  }

  addEntry({ value, line, id, time }: CheckedObject): void {
    const message = messageOf(value);
    const role = asString(message?.['role']);
    const type = asString(value['type']) ?? '';
    const { parentId } = value;
    this.version ??= id === undefined ? 1 : 3;
    const position = this.index.add({
      id,
      parentId: asString(parentId) ?? null,
      ...(this.version === 1 && parentId === undefined ? { parent: this.index.size - 1 } : {}),
      type,
      role,
      line: line.number,
      offset: line.offset,
      length: NO_NOTE,
      flags: type === 'message' ? kindOf(role, message) : KIND.other,
    });
    if (typeof parentId === 'string' && this.index.parentOf(position) < 0) this.#unresolved.set(position, parentId);
    this.#joined(line.number, parentId === null, time ?? Number.NaN, {
      line: line.number,
      role: type === 'message' ? role : undefined,
      parentId,
      time,
    });
    for (const [key, kind] of Object.entries(entryTypeOf(type)?.references ?? {})) {
      const named = value[key];
      if (kind !== 'other' && typeof named === 'string' && named !== '')
        this.references.push({ kind, position, id: named });
    }
    if (message) this.#addTools(position, role, message);
  }

  /** The same for a scanned entry; false, with nothing added, if it must be parsed. */
  addPlain(entry: EntryRanges, isRoot: boolean, time: number, last: LastEntry | undefined): boolean {
    entry.length = NO_NOTE;
    if (this.index.addRanges(entry, true) < 0) return false;
    this.#joined(entry.line, isRoot, time, last);
    return true;
  }

  #joined(line: number, isRoot: boolean, time: number, last: LastEntry | undefined): void {
    this.objects++;
    if (this.firstEntryLine === 0) this.firstEntryLine = line;
    if (isRoot) this.roots++;
    this.#times.push(time);
    this.last = last;
  }

  #addTools(position: number, role: string | undefined, { toolCallId, content }: JsonObject): void {
    if (role === 'toolResult' && typeof toolCallId === 'string')
      this.addResult(position, this.callIds.intern(toolCallId));
    if (role !== 'assistant' || !Array.isArray(content)) return;
    // A repeated id in one message is a finding of its own; its result answers both calls.
    const seen = new Set<string>();
    for (const [at, block] of content.entries()) {
      if (!isObject(block) || block['type'] !== 'toolCall') continue;
      const { id } = block;
      if (typeof id !== 'string' || seen.has(id)) continue;
      seen.add(id);
      this.addCall(position, this.callIds.intern(id), at);
    }
  }

  addResult(position: number, id: number): void {
    this.hasResults = true;
    this.index.setNote(position, id);
  }

  addCall(position: number, id: number, block: number): void {
    const isFirst = this.noteOf(position) < 0;
    if (isFirst) this.index.setNote(position, this.calls.length);
    this.calls.add(id, block, !isFirst);
  }

  finish(): void {
    const { index } = this;
    index.finish();
    const unusual = [...this.#unresolved].map(([position, parentId]) => {
      const parent = index.parentOf(position);
      const isHeader = parent === HEADER_PARENT || (parent < 0 && parentId === this.headerId);
      return { position, parentId, parent: isHeader ? HEADER_PARENT : parent };
    });
    this.#unresolved.clear();
    this.lostParents = unusual.filter(({ parent }) => parent === MISSING_PARENT);
    this.headerChildren = unusual.filter(({ parent }) => parent === HEADER_PARENT);
    const inCycle = new Set<number>();
    this.cycles = cycles(index).map((position) => {
      const before = inCycle.size;
      for (let at = position; !inCycle.has(at); at = index.parentOf(at)) inCycle.add(at);
      return { position, length: inCycle.size - before };
    });
    this.#cut = new Set(this.cycles.map(({ position }) => position));
    this.forwardParents = unusual.filter(({ position, parent }) => parent >= 0 && !inCycle.has(position));
  }
}

/** Tool calls in file order: the symbol of the id, and the block index. Calls of one message are adjacent. */
class CallColumns {
  readonly #ids = uint32Column();
  /** Twice the block index, plus 1 if another call of the same message follows. */
  readonly #blocks = uint32Column();

  get length(): number {
    return this.#ids.size;
  }

  add(id: number, block: number, isOfTheSameMessage: boolean): void {
    const last = this.length - 1;
    if (isOfTheSameMessage) this.#blocks.set(last, this.#blocks.at(last) + 1);
    this.#ids.push(id);
    this.#blocks.push(block * 2);
  }

  id(call: number): number {
    return this.#ids.at(call);
  }

  block(call: number): number {
    return this.#blocks.at(call) >>> 1;
  }

  /** The next call of the same message, or -1. */
  next(call: number): number {
    return this.#blocks.at(call) % 2 === 1 ? call + 1 : -1;
  }
}

function kindOf(role: string | undefined, message: JsonObject | undefined): number {
  if (role === 'user') return KIND.user;
  if (role === 'toolResult') return KIND.toolResult;
  if (role !== 'assistant') return KIND.other;
  return message && isStopped(message) ? KIND.stoppedTurn : KIND.assistant;
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** A timestamp in ms since 1970; undefined if it is not ISO 8601 with a time zone. */
export function readTime(timestamp: unknown): number | undefined {
  // Date.parse treats other formats differently on different machines.
  if (typeof timestamp !== 'string' || !ISO.test(timestamp)) return undefined;
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? undefined : time;
}
