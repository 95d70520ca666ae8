import { parseExact } from '../../json/exact.ts';
import { asString, isObject, type JsonObject } from '../../json/value.ts';
import { Cells, NONE } from '../../util/symbols.ts';
import type { ConversionOptions, LogSource, NativeSink, SourceRecord } from '../format.ts';
import { LongTexts } from '../long-texts.ts';
import { NativeWriter } from '../native-writer.ts';
import { countedRecords } from '../records.ts';
import { ClaudeAnswer } from './answer.ts';
import { ClaudeCompactions } from './compaction.ts';
import { describeRecord, isRecord } from './describe.ts';
import type { Learned } from './learned.ts';
import { Places, type RecordSpan } from './places.ts';
import { hasKnownShape } from './schema.ts';
import { SessionNotes } from './session-notes.ts';
import { ClaudeSubagents, type Subagent, subagentId } from './subagents.ts';
import { type ClaudeRecord, TreeWriter } from './tree-writer.ts';

export const FORMAT = { id: 'claude-code' };

/** Texts that are copied without parsing: results of tools and files, but not prompts. */
const UNPARSED_TEXTS = /(?<!"role":"user",)"(?:content|stdout|stderr|data|originalFile|thinking|signature)":$/;

/** Records that do not end a compaction. */
const BESIDE: ReadonlySet<string> = new Set(['attachment', 'side', 'other', 'title']);
/** Records that do not end an answer: a tool may finish before the answer is complete. */
const MAY_WAIT: ReadonlySet<string> = new Set(['results', ...BESIDE]);

/** Records that begin something new: what is below them is another answer, whatever its id is. */
const BEGINS: ReadonlySet<string> = new Set(['prompt', 'command', 'interrupt']);

/** How many records are held back while an answer is open. */
const MOST_HELD = 256;

/** The records to convert: those of the session, of a subagent's file, or of a subagent inside the session's file. */
type ClaudeScope = { readonly is: 'main' } | { readonly is: 'agent' | 'inside'; readonly agent: string };

export interface ClaudeTask {
  readonly source: LogSource;
  readonly sink: NativeSink;
  readonly options: ConversionOptions;
  readonly sessionId: string;
  /** When the session started. */
  readonly time: string | undefined;
  readonly subagents: readonly Subagent[];
  readonly scope: ClaudeScope;
  readonly title?: string | undefined;
}

/** Whether a record hides earlier ones from the model. */
function editsContext({ type, replacements }: JsonObject): boolean {
  if (type === 'content-replacement') return !Array.isArray(replacements) || replacements.length > 0;
  return type === 'marble-origami-commit' || type === 'marble-origami-snapshot';
}

/** An answer that may have more records. */
interface OpenClaudeAnswer {
  readonly answer: ClaudeAnswer;
  readonly first: ClaudeRecord;
  /** The records after it. */
  readonly held: ClaudeRecord[];
  /** Records of it that are later in the file. */
  readonly late: ClaudeRecord[];
}

/** One pass over a log. */
export class ClaudeConversion {
  readonly #task: ClaudeTask;
  readonly #learned: Learned;
  readonly #isLast: boolean;
  readonly #input: ReturnType<typeof countedRecords>;
  readonly #writer: NativeWriter;
  readonly #places: Places;
  readonly #tree: TreeWriter;
  readonly #subagents: ClaudeSubagents;
  readonly #notes = new SessionNotes();
  readonly #compactions: ClaudeCompactions;
  /** The first uuid of each answer, by its key. */
  readonly #answerUuids = new Cells();
  /** By uuid: whether something new begins there. */
  readonly #begins = new Cells();
  /** Calls of the model whose usage was counted. */
  readonly #paid = new Cells();
  /** Records that were read before their turn, by offset. */
  readonly #readEarly = new Map<number, ClaudeRecord>();
  /** The subagents of records, by uuid, where several sessions share the file. */
  readonly #agentOf = new Map<string, string>();
  /** Parents that were not found before their child, by its uuid. */
  readonly #orphans = new Map<string, string>();
  #answer: OpenClaudeAnswer | undefined;

  constructor(task: ClaudeTask, learned: Learned, isLast: boolean) {
    const { source, sink, options, subagents, sessionId } = task;
    this.#task = task;
    this.#learned = learned;
    this.#isLast = isLast;
    const texts = new LongTexts(source, UNPARSED_TEXTS);
    this.#writer = new NativeWriter(FORMAT, source, sink, options, this.#id, texts);
    this.#input = countedRecords(source, (...damage) => this.#writer.damaged(...damage), texts, isRecord);
    this.#writer.startAt(task.time);
    this.#places = new Places(this.#writer.ids);
    this.#subagents = new ClaudeSubagents(sessionId, subagents);
    const about = { keep: options.keep, subagents: this.#subagents, key: source.random(8) };
    this.#tree = new TreeWriter(this.#writer, this.#places, about);
    this.#compactions = new ClaudeCompactions(this.#writer, this.#places, this.#tree);
  }

  get #id(): string {
    const { sessionId, scope } = this.#task;
    return scope.is === 'main' ? sessionId : subagentId(sessionId, scope.agent);
  }

  async read(): Promise<void> {
    for await (const batch of this.#input.batches)
      for (const record of batch) {
        const rare = this.#process(record);
        if (rare) await rare;
      }
    this.#closeAnswer(false);
    this.#compactions.giveUp();
    if (!this.#isLast) this.#learned.learnParents(this.#orphans, this.#places);
  }

  /** Asynchronous only for a record that has to be read from another place of the file. */
  #process(record: SourceRecord): Promise<void> | undefined {
    const { value, offset } = record;
    const early = this.#readEarly.size > 0 ? this.#readEarly.get(offset) : undefined;
    if (early) {
      this.#notes.add(early, this.#places);
      return undefined;
    }
    const { uuid, parentUuid } = value;
    if (typeof uuid !== 'string' || parentUuid === undefined) return this.#outsideTree(record);
    const first = this.#places.spanOf(uuid);
    if (first) return this.#duplicate(uuid, first, record);
    const above = this.#learned.above.size > 0 ? this.#learned.above.get(uuid) : undefined;
    return above ? this.#below(above, record) : this.#first(record);
  }

  /** The first record with a uuid. */
  #first(record: SourceRecord): Promise<void> | undefined {
    const last =
      this.#learned.replaced.size > 0 ? this.#learned.replaced.get(record.value['uuid'] as string) : undefined;
    return last ? this.#replace(record, last) : this.#inTree(record);
  }

  /** A record whose parents are later in the file. */
  async #below(above: readonly RecordSpan[], record: SourceRecord): Promise<void> {
    for (const span of above) {
      const parent = this.#readEarly.has(span.offset) ? undefined : await this.#readAgain(span);
      if (!parent) continue;
      this.#readEarly.set(span.offset, this.#described(parent));
      await this.#first(parent);
    }
    await this.#first(record);
  }

  /** Describes a record; one without the shape of its type is kept as it is. */
  #described(record: SourceRecord): ClaudeRecord {
    const facts = describeRecord(record.value);
    const time = Date.parse(facts.timestamp ?? '');
    if (hasKnownShape(record.value) !== false) return { record, facts, time };
    this.#writer.loss('BAD_SHAPE', 'lossy', record.line, facts.id);
    return { record, facts: { ...facts, kind: 'other' }, time };
  }

  /** A record that is not part of the tree. */
  #outsideTree(record: SourceRecord): undefined {
    const item = this.#described(record);
    const { value } = record;
    if (this.#task.scope.is === 'inside') return this.#drop(item);
    this.#notes.learn(value);
    if (value['type'] === 'last-prompt') this.#notes.setLeaf(value);
    if (editsContext(value)) this.#writer.loss('CONTEXT_EDITED', 'lossy', record.line);
    if (item.facts.kind === 'title') this.#notes.setTitle(value);
    this.#place(item);
  }

  /** A record of another session in the same file. */
  #drop({ record, facts }: ClaudeRecord): undefined {
    this.#writer.loss('OTHER_SESSION', 'info', record.line, facts.id);
    this.#writer.count('dropped');
  }

  #inTree(record: SourceRecord): Promise<void> | undefined {
    const item = this.#described(record);
    if (!this.#isInScope(item)) return this.#drop(item);
    this.#register(item);
    return item.facts.kind === 'answer' || item.facts.kind === 'error' ? this.#addToAnswer(item) : this.#place(item);
  }

  #isInScope({ record, facts }: ClaudeRecord): boolean {
    const { scope } = this.#task;
    const { isSidechain, agentId, message } = record.value;
    if (scope.is === 'agent') return agentId === undefined || agentId === scope.agent;
    if (isSidechain !== true) return scope.is === 'main';
    const uuid = facts.id as string;
    const known = facts.parentId ? this.#agentOf.get(facts.parentId) : undefined;
    const agent = asString(agentId) ?? known ?? uuid;
    this.#agentOf.set(uuid, agent);
    if (scope.is === 'inside') return agent === scope.agent;
    this.#subagents.register(agent, isObject(message) ? message['content'] : undefined);
    return false;
  }

  #register(item: ClaudeRecord): void {
    const { id, parentId, kind } = item.facts;
    const isMessage = kind !== 'attachment' && kind !== 'side' && kind !== 'other';
    if (BEGINS.has(kind)) this.#begins.set(this.#writer.ids.intern(id as string), 1);
    if (parentId && !this.#places.isKnown(parentId)) this.#orphans.set(id as string, parentId);
    this.#places.add(id as string, parentId ?? undefined, isMessage, item.record);
    if (parentId) this.#places.join(id as string, parentId, isMessage);
    this.#notes.add(item, this.#places);
  }

  #place(item: ClaudeRecord): undefined {
    const { kind } = item.facts;
    const open = this.#answer;
    if (open && MAY_WAIT.has(kind) && open.held.length < MOST_HELD) {
      open.held.push(item);
      return;
    }
    this.#closeAnswer(kind === 'interrupt');
    if (!this.#compactions.isOpen) this.#writer.texts.forgetBefore(item.record.textsBefore);
    this.#put(item);
  }

  #put(item: ClaudeRecord): void {
    const { kind } = item.facts;
    if (kind === 'boundary') this.#compactions.begin(item);
    else if (kind === 'summary') this.#compactions.summary(item);
    else if (this.#compactions.isOpen && BESIDE.has(kind)) this.#compactions.hold(item);
    else {
      this.#compactions.giveUp();
      if (kind === 'results' && this.#isLate(item)) return;
      this.#tree.writeAny(item);
    }
  }

  /** A result after the next message belongs before that message: the next pass writes it there. */
  #isLate({ record, facts }: ClaudeRecord): boolean {
    const call = facts.results.map((id) => this.#tree.calls.find(id)).find((found) => found && !found.isAnswered);
    if (this.#isLast || !call || this.#places.answerTip(call.entry) !== undefined) return false;
    this.#learned.addLate(call.entry, record);
    return true;
  }

  /** A record of an answer: all with one key are one message. */
  #addToAnswer(item: ClaudeRecord): Promise<void> | undefined {
    const { record, facts } = item;
    const uuid = facts.id as string;
    const key = ClaudeAnswer.keyOf(record.value);
    this.#subagents.ask(record.value['message'] as JsonObject);
    if (this.#answer?.answer.key === key) {
      this.#answer.answer.add(record.value);
      this.#writer.count('merged');
      return undefined;
    }
    this.#closeAnswer(false);
    this.#compactions.giveUp();
    this.#writer.texts.forgetBefore(record.textsBefore);
    const { ids } = this.#writer;
    const symbol = ids.intern(key);
    const first = this.#answerUuids.get(symbol);
    const before = first === NONE ? undefined : ids.text(first);
    if (before !== undefined && this.#isPartOf(item, before)) {
      if (!this.#isLast) {
        const entry = this.#places.entryOf(before) as string;
        this.#learned.addLate(before, record);
        this.#places.put(uuid, entry);
        for (const id of facts.calls) this.#tree.calls.add(id, '', entry, record.line);
        return undefined;
      }
      this.#writer.loss('SPLIT_ANSWER', 'lossy', record.line, uuid);
    }
    this.#answerUuids.set(symbol, ids.intern(uuid));
    this.#answer = { answer: new ClaudeAnswer(key, record), first: item, held: [], late: [] };
    const late = this.#learned.late.get(uuid);
    return late ? this.#readLate(late) : undefined;
  }

  /** Whether a record is below or beside an answer or its results; a copy of the answer is elsewhere. */
  #isPartOf({ facts }: ClaudeRecord, answer: string): boolean {
    const { parentId } = facts;
    const isNew = parentId && this.#begins.get(this.#writer.ids.find(parentId)) !== NONE;
    const above = parentId && !isNew ? this.#places.parentOf(parentId) : undefined;
    const entry = this.#places.entryOf(answer);
    const isBelow = (uuid: string | undefined): boolean => uuid !== undefined && this.#places.entryOf(uuid) === entry;
    return (
      isBelow(parentId ?? undefined) || isBelow(above) || this.#places.parentOf(answer) === (parentId ?? undefined)
    );
  }

  #closeAnswer(isInterrupted: boolean): void {
    const open = this.#answer;
    if (!open) return;
    this.#answer = undefined;
    const { answer, first, held, late } = open;
    for (const item of late) {
      if (item.facts.kind === 'results') held.push(item);
      else {
        answer.add(item.record.value);
        this.#writer.count('merged');
      }
    }
    const request = this.#writer.ids.intern(answer.request);
    const isPaid = this.#paid.get(request) === NONE;
    this.#paid.set(request, 1);
    if (!isPaid) this.#writer.loss('REPLAYED_PREFIX', 'info', first.record.line, first.facts.id);
    const wasInterrupted = isInterrupted && !held.some(({ facts }) => facts.kind === 'results');
    this.#tree.answer(answer, first, { isPaid, wasInterrupted });
    for (const item of held) this.#put(item);
  }

  /** Reads records of an answer that are later in the file. */
  async #readLate(spans: readonly RecordSpan[]): Promise<void> {
    const open = this.#answer;
    for (const span of spans) {
      const record = await this.#readAgain(span);
      if (!open || !record) continue;
      const item = this.#described(record);
      this.#readEarly.set(span.offset, item);
      this.#register(item);
      open.late.push(item);
    }
  }

  /** Another record with the same uuid. */
  async #duplicate(uuid: string, first: RecordSpan, record: SourceRecord): Promise<void> {
    this.#writer.count('merged');
    this.#writer.loss('DUPLICATE', 'info', record.line, uuid);
    if (this.#learned.replaced.get(uuid)?.offset === record.offset || this.#isLast) return;
    const [a, b] = [await this.#bytesOf(first), await this.#bytesOf(record)];
    const isReplaced = this.#learned.replaced.has(uuid);
    const isNewer = record.offset > (this.#learned.replaced.get(uuid)?.offset ?? -1);
    if (isNewer && (isReplaced || !a.equals(b))) this.#learned.replace(uuid, record);
  }

  async #replace(record: SourceRecord, last: RecordSpan): Promise<void> {
    const newer = await this.#readAgain(last);
    await this.#inTree({ ...record, value: newer?.value ?? record.value, json: undefined });
  }

  async #readAgain({ line, offset, length }: RecordSpan): Promise<SourceRecord | undefined> {
    const value = parseExact((await this.#bytesOf({ line, offset, length })).toString('utf8'));
    return value && { value, line, offset, length, textsBefore: 0 };
  }

  async #bytesOf({ offset, length }: RecordSpan): Promise<Buffer> {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, await this.#task.source.readAt(buffer, offset));
  }

  end(): void {
    const { sessionId, scope, title } = this.#task;
    const notes = this.#notes;
    if (this.#answerUuids.isEmpty) this.#writer.loss('NO_ASSISTANT', 'info', 0);
    for (const { id, line } of this.#tree.calls.open()) this.#writer.loss('PENDING_CALL', 'info', line, id);
    for (const { agent, line } of this.#subagents.missing) this.#writer.loss('SUBAGENT_MISSING', 'info', line, agent);
    this.#tree.finish(notes.leaf(this.#places));
    const about = { cwd: notes.cwd, time: notes.time, title: notes.title ?? title, formatVersion: notes.version };
    const parent = scope.is === 'main' ? undefined : sessionId;
    this.#writer.end({ ...about, id: this.#id, parent, subagentOf: parent }, this.#input.facts());
  }
}
