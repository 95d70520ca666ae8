import type { BlockFacts, FileFacts, RecordFacts, SnapshotFacts } from '../../formats/format.ts';
import type { JsonObject } from '../../json/value.ts';
import { cycles } from '../../tree/children.ts';
import { float64Column, int32Column, uint8Column, uint32Column } from '../../util/column.ts';
import { Symbols } from '../../util/symbols.ts';
import { LOST, NO_MESSAGE, ROOT } from '../positions.ts';
import type { FindingPlace } from '../rule.ts';
import { type CheckedRecord, digestOf } from './checked-record.ts';
import { isLarge } from './large-images.ts';
import { MessagesInView } from './messages-in-view.ts';
import type { Conversation } from './record-paths.ts';
import { type ToolUse, ToolUses } from './tool-uses.ts';

const NO_ID = -1;
const NULL_PARENT = -2;
/** The record does not say what its parent is. */
const NO_PARENT = -3;

const FLAG = { inConversation: 1, mayBeRoot: 2, repeated: 4, copy: 8, prompt: 16, assistant: 32, compaction: 64 };

/** How far up to look for the record where an answer was abandoned and another one begun. */
const MAX_STEPS_UP = 64;
/** How many records may be between an answer and what follows it. */
const MAX_RECORDS_BETWEEN = 1_000;

/** A file that a record names; `problem` is set once the file was checked. */
interface NamedFile extends FileFacts {
  readonly position: number;
  problem?: 'missing' | 'damaged';
}

/** A snapshot, with the state of the log at its position. */
interface Snapshot extends SnapshotFacts {
  /** -1 until a record has its ordinal. */
  position: number;
  stateThen?: string | undefined;
  /** Calls that the snapshot lists as open, but that were answered or are not in the log. */
  wrongCalls?: readonly string[];
}

/** What rules know about another agent's log, added record by record, without their content. */
export class RecordLog {
  lines = 0;
  firstOversizeLine = 0;
  /** In a document a record has several lines, so gaps between line numbers are normal. */
  isDocument = false;
  header: RecordFacts | undefined;
  headerLine = 0;
  /** The first records have what a new header needs. */
  canRebuildHeader = false;
  /** The last record that names a leaf, and the last record of the main conversation. */
  leaf: { readonly id: string; readonly position: number } | undefined;
  lastInConversation = -1;
  /** The user or assistant message of the main conversation with the latest time. */
  newest = -1;
  /** How many records have a valid time. */
  timed = 0;
  /** The last ordinal and its record, and the records without one. */
  lastOrdinal: number | undefined;
  lastOrdinalAt = -1;
  /** Ordinal minus position, where ordinals last rose by one. */
  ordinalShift: number | undefined;
  readonly unnumbered: number[] = [];
  /** `content` of the last record, to find copies. */
  lastContent: JsonObject | undefined;
  images = 0;
  /** Images that a provider may reject, depending on the number of images. */
  readonly largeImages: (ToolUse & { readonly image: NonNullable<BlockFacts['image']> })[] = [];
  readonly calls = new ToolUses();
  readonly results = new ToolUses();
  readonly files: NamedFile[] = [];
  readonly snapshots: Snapshot[] = [];
  /** The last state that a record named. */
  state: string | undefined;
  readonly view = new MessagesInView();
  readonly conversations = new Map<string, Conversation>();
  readonly compactions: { readonly position: number; readonly kept: readonly string[]; hasSummary: boolean }[] = [];
  readonly callIds: Symbols;
  /** Ids of messages, prefixed with their conversation. */
  readonly #messageIds: Symbols;
  readonly #ids: Symbols;
  /** Other names of records, besides their ids. */
  readonly #others: Symbols;
  readonly #id = int32Column();
  readonly #parent = int32Column();
  readonly #line = uint32Column();
  readonly #offset = float64Column();
  readonly #time = float64Column();
  readonly #message = int32Column();
  readonly #flags = uint8Column();
  readonly #conversation = uint8Column();
  readonly #names: string[] = [];
  /** By the symbol of an id: its first record, and that record's digest; 0 if not computed yet. */
  readonly #definedAt = int32Column();
  readonly #digests = float64Column();

  /** The whole log, if it is in memory. */
  readonly #input: Buffer | undefined;

  /** `hashKey` is 8 random bytes. */
  constructor(hashKey: Uint8Array, input?: Buffer) {
    this.#input = input;
    this.#ids = new Symbols(hashKey);
    this.callIds = new Symbols(hashKey);
    this.#messageIds = new Symbols(hashKey);
    this.#others = new Symbols(hashKey);
  }

  get size(): number {
    return this.#id.size;
  }

  placeOf(position: number, path?: string): FindingPlace {
    return { line: this.lineOf(position), offset: this.#offset.at(position), entryId: this.idOf(position), path };
  }

  lineOf(position: number): number {
    return this.#line.at(position);
  }

  idOf(position: number): string | undefined {
    const id = this.#id.at(position);
    return id === NO_ID ? undefined : this.#ids.text(id);
  }

  /** The parent's id as written in the record; null for none, undefined if the member is missing. */
  parentIdOf(position: number): string | null | undefined {
    const parent = this.#parent.at(position);
    if (parent >= 0) return this.#ids.text(parent);
    return parent === NULL_PARENT ? null : undefined;
  }

  /** The number of its message within its conversation, or NO_MESSAGE. */
  messageOf(position: number): number {
    return this.#message.at(position);
  }

  /** NaN if invalid; -Infinity if no time is expected. */
  timeOf(position: number): number {
    return this.#time.at(position);
  }

  isInConversation(position: number): boolean {
    return (this.#flags.at(position) & FLAG.inConversation) !== 0;
  }

  mayBeRoot(position: number): boolean {
    return (this.#flags.at(position) & FLAG.mayBeRoot) !== 0;
  }

  /** An earlier record has the same id. */
  isRepeated(position: number): boolean {
    return (this.#flags.at(position) & FLAG.repeated) !== 0;
  }

  isCopy(position: number): boolean {
    return (this.#flags.at(position) & FLAG.copy) !== 0;
  }

  isPrompt(position: number): boolean {
    return (this.#flags.at(position) & FLAG.prompt) !== 0;
  }

  /** A user or assistant message, not a result. */
  isTurn(position: number): boolean {
    return (this.#flags.at(position) & (FLAG.prompt | FLAG.assistant)) !== 0;
  }

  isCompaction(position: number): boolean {
    return (this.#flags.at(position) & FLAG.compaction) !== 0;
  }

  conversationOf(position: number): string {
    return this.#names[this.#conversation.at(position)] ?? '';
  }

  /** The first record with an id, or -1. */
  find(id: string): number {
    const symbol = this.#ids.find(id);
    return symbol < 0 || symbol >= this.#definedAt.size ? -1 : this.#definedAt.at(symbol);
  }

  /** Whether a record so far has this id or name. */
  hasName(name: string): boolean {
    return this.find(name) >= 0 || this.#others.find(name) >= 0;
  }

  /** Whether the first record with the same id is an exact copy. */
  isCopied(record: CheckedRecord): boolean {
    const symbol = this.#ids.find(record.facts.id ?? '');
    return symbol >= 0 && symbol < this.#digests.size && this.#digestOfFirst(symbol) === digestOf(record);
  }

  /** The position of the parent, ROOT or LOST. Of records with the same id the first counts. */
  parentOf(position: number): number {
    const parent = this.#parent.at(position);
    if (parent < 0) return ROOT;
    const at = parent < this.#definedAt.size ? this.#definedAt.at(parent) : -1;
    return at < 0 ? LOST : at;
  }

  /** Whether it is the first of its conversation. */
  isFirst(position: number): boolean {
    return this.conversations.get(this.conversationOf(position))?.first === position;
  }

  /** Where agents resume: some versions at the named leaf or else at the end, others at the latest time. */
  get ends(): { readonly named: number; readonly newest: number } {
    const last = this.conversations.get('')?.last ?? -1;
    const named = this.leaf ? this.find(this.leaf.id) : -1;
    const lastId = last < 0 ? undefined : this.idOf(last);
    // Of records with the same id the first counts.
    const end = lastId === undefined ? -1 : this.find(lastId);
    return { named: named < 0 || this.#goesOn(end, named) ? end : named, newest: this.newest };
  }

  /** Whether a record is below another one, or below the same answer where that one is a part or a result of it. */
  #goesOn(position: number, from: number): boolean {
    const answer = this.isTurn(from) ? from : this.parentOf(from);
    const message = answer < 0 ? NO_MESSAGE : this.messageOf(answer);
    const isAnswer = (at: number): boolean => message !== NO_MESSAGE && this.messageOf(at) === message;
    return this.#hasAtOrAbove(position, (at) => at === from || isAnswer(at));
  }

  /** Whether `ancestor` is the record itself or above it. */
  isBelow(position: number, ancestor: number): boolean {
    return this.#hasAtOrAbove(position, (at) => at === ancestor);
  }

  #hasAtOrAbove(position: number, isIt: (at: number) => boolean): boolean {
    // Bounds the walk if there is a cycle.
    for (let at = position, steps = 0; at >= 0 && steps < this.size; at = this.parentOf(at), steps++)
      if (isIt(at)) return true;
    return false;
  }

  /** Each cycle of parents, by its earliest record. */
  cycles(): readonly { readonly position: number; readonly length: number; readonly members: readonly number[] }[] {
    let forwardParents = 0;
    for (let position = 0; position < this.size; position++) if (this.parentOf(position) >= position) forwardParents++;
    const parentOf = (position: number): number => this.parentOf(position);
    return cycles({ size: this.size, parentOf, forwardParents }).map((position) => {
      const members = [position];
      for (let at = parentOf(position); at !== position; at = parentOf(at)) members.push(at);
      return { position, length: members.length, members };
    });
  }

  /** Whether the conversation continued after a record, with a user message or another answer. */
  continuesAfter(position: number): boolean {
    const last = this.conversations.get(this.conversationOf(position))?.last ?? -1;
    return last > position && !this.#isAbandoned(position);
  }

  /** Whether it has no children, because the next turn hangs from a record close above it. */
  #isAbandoned(position: number): boolean {
    const conversation = this.#conversation.at(position);
    const message = this.messageOf(position);
    let next = position + 1;
    const most = Math.min(this.size, position + MAX_RECORDS_BETWEEN);
    for (; next < most; next++) {
      if (this.#conversation.at(next) !== conversation) continue;
      if (this.parentOf(next) === position) return false;
      if (this.isTurn(next) && (message === NO_MESSAGE || this.messageOf(next) !== message)) break;
    }
    const parent = next < most ? this.parentOf(next) : ROOT;
    let at = parent < 0 ? ROOT : this.parentOf(position);
    for (let steps = 0; at >= 0 && at !== parent && steps < MAX_STEPS_UP; steps++) at = this.parentOf(at);
    return at >= 0 && at === parent;
  }

  add(record: CheckedRecord): number {
    const { line, offset, facts, time } = record;
    const position = this.size;
    const { id, parentId, isInConversation, conversation, messageId } = facts;
    const message = messageId === undefined ? NO_MESSAGE : this.#messageIds.intern(conversation + messageId);
    let flags = (isInConversation ? FLAG.inConversation : 0) | (facts.mayBeRoot ? FLAG.mayBeRoot : 0);
    if (isInConversation && facts.role === 'user') flags |= FLAG.prompt;
    if (facts.role === 'assistant') flags |= FLAG.assistant;
    if (facts.compaction) flags |= FLAG.compaction;
    const symbol = id === undefined ? NO_ID : this.#symbol(id);
    if (symbol !== NO_ID) flags |= this.#define(symbol, position, record);
    this.#id.push(symbol);
    const noParent = parentId === null ? NULL_PARENT : NO_PARENT;
    this.#parent.push(typeof parentId === 'string' ? this.#symbol(parentId) : noParent);
    this.#line.push(line);
    this.#offset.push(offset);
    this.#time.push(time ?? (facts.timestamp === null ? Number.NEGATIVE_INFINITY : Number.NaN));
    this.#message.push(message);
    this.#flags.push(flags);
    this.#conversation.push(this.#nameOf(conversation));
    if (facts.view) this.view.change(facts.view, position);
    // The original of a copy was added already.
    if ((flags & FLAG.copy) === 0) this.#addFacts(position, facts, message);
    if (isInConversation) {
      if (conversation === '') {
        this.lastInConversation = position;
        const isTurn = (flags & (FLAG.prompt | FLAG.assistant)) !== 0 && (flags & FLAG.repeated) === 0;
        if (isTurn && time !== undefined && (this.newest < 0 || time >= this.timeOf(this.newest)))
          this.newest = position;
      }
      if (time !== undefined) this.timed++;
    }
    return position;
  }

  #addFacts(position: number, facts: RecordFacts, message: number): void {
    const { blocks, conversation, isInConversation, role, compaction, leaf } = facts;
    if (facts.isHeader && !this.header) {
      this.header = facts;
      this.headerLine = this.lineOf(position);
    }
    if (leaf !== undefined) this.leaf = { id: leaf, position };
    // A compaction makes agents forget the end that was named.
    else if (compaction && conversation === '') this.leaf = undefined;
    this.lastContent = facts.content;
    if (typeof facts.ordinal === 'number') {
      const shift = facts.ordinal - position;
      if (this.lastOrdinal !== undefined && this.lastOrdinal - this.lastOrdinalAt === shift) this.ordinalShift = shift;
      this.lastOrdinal = facts.ordinal;
      this.lastOrdinalAt = position;
    } else if (this.header?.ordinal !== undefined && (facts.isHeader || facts.ordinal === undefined))
      this.unnumbered.push(position);
    for (const { kind, callId, path, image } of blocks) {
      if (kind === 'image') this.images++;
      if (image && isLarge(image)) this.largeImages.push({ position, path, image });
      const uses = kind === 'call' ? this.calls : kind === 'result' ? this.results : undefined;
      if (uses && callId !== undefined) uses.add(this.callIds.intern(callId), position, path);
    }
    for (const name of facts.names ?? []) this.#others.intern(name);
    for (const file of facts.files ?? []) this.files.push({ ...file, position });
    this.state = facts.state ?? this.state;
    if (this.snapshots.length > 0) this.#compare(position, facts.ordinal);
    const last = this.compactions.at(-1);
    if (last && facts.isSummary) last.hasSummary = true;
    if (compaction) this.compactions.push({ position, kept: compaction.kept, hasSummary: compaction.isWhole });
    if (!isInConversation) return;
    const known = this.conversations.get(conversation);
    const current = known ?? { first: position, last: position, message, isCalling: false };
    if (!known) this.conversations.set(conversation, current);
    // An answer may be several records, with results of its first calls in between. Without a message id, consecutive
    // calls are one answer.
    const isCalling = role === 'assistant' && message === NO_MESSAGE && blocks.some(({ kind }) => kind === 'call');
    const isSame = message === NO_MESSAGE ? isCalling && current.isCalling : message === current.message;
    if (role === 'user' || (role === 'assistant' && !isSame)) current.last = position;
    if (role !== undefined) current.isCalling = isCalling;
    if (role === 'user' || message !== NO_MESSAGE) current.message = message;
  }

  #compare(position: number, ordinal: unknown): void {
    for (const snapshot of this.snapshots) {
      if (snapshot.ordinal !== ordinal || snapshot.position >= 0) continue;
      snapshot.position = position;
      snapshot.stateThen = this.state;
      snapshot.wrongCalls = (snapshot.openCalls ?? []).filter((id) => {
        const call = this.callIds.find(id);
        return call >= 0 ? this.results.has(call) : !this.hasName(id);
      });
    }
  }

  #symbol(id: string): number {
    const symbol = this.#ids.intern(id);
    for (let at = this.#definedAt.size; at <= symbol; at++) {
      this.#definedAt.push(-1);
      this.#digests.push(0);
    }
    return symbol;
  }

  #define(symbol: number, position: number, record: CheckedRecord): number {
    if (this.#definedAt.at(symbol) >= 0)
      return FLAG.repeated | (this.#digestOfFirst(symbol) === digestOf(record) ? FLAG.copy : 0);
    this.#definedAt.set(symbol, position);
    // Few ids repeat, so a digest is computed later if the line can be read again.
    if (!this.#input || !record.bytes) this.#digests.set(symbol, digestOf(record));
    return 0;
  }

  #digestOfFirst(symbol: number): number {
    const digest = this.#digests.at(symbol);
    const position = this.#definedAt.at(symbol);
    if (digest !== 0 || position < 0 || !this.#input) return digest;
    const start = this.#offset.at(position);
    return digestOf({ text: '', bytes: this.#input.subarray(start, this.#input.indexOf(0x0a, start)) });
  }

  #nameOf(conversation: string): number {
    const known = this.#names.indexOf(conversation);
    // Subagents beyond 255 share one number.
    return known >= 0 ? known : this.#names.length > 0xff ? 0xff : this.#names.push(conversation) - 1;
  }
}
