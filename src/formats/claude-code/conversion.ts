import { parseExact } from '../../json/exact.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { AppError } from '../../util/errors.ts';
import { Cells, NONE } from '../../util/symbols.ts';
import type { ConversionOptions, LogSource, NativeSink, SourceRecord } from '../format.ts';
import { LongTexts } from '../long-texts.ts';
import { NativeWriter, sessionUuid } from '../native-writer.ts';
import { countedRecords } from '../records.ts';
import { ClaudeAnswer } from './answer.ts';
import { ClaudeCompactions } from './compaction.ts';
import { describeRecord, stringOf } from './describe.ts';
import { Learned } from './learned.ts';
import { findInside, lookAhead } from './look-ahead.ts';
import { Places, type RecordSpan } from './places.ts';
import { hasKnownShape } from './schema.ts';
import { SessionNotes } from './session-notes.ts';
import { ClaudeSubagents, findSubagents, type Subagent, subagentId } from './subagents.ts';
import { type Taken, TreeWriter } from './tree-writer.ts';

const FORMAT = { id: 'claude-code' };

/** Texts that are not looked at: results of tools and files, but not prompts. */
const HANDED_ON = /(?<!"role":"user",)"(?:content|stdout|stderr|data|originalFile|thinking|signature)":$/;

/** While an answer is open what follows is held back; beyond this it is taken to be complete. */
const MOST_HELD = 256;
/** What was learned in one pass may move what the next one finds; after so many the rest stays where it is. */
const PASSES = 3;

/** Whose records are converted: those of the session, of a subagent's own file, or of one between the others. */
type ClaudeScope = { readonly is: 'main' } | { readonly is: 'agent' | 'inside'; readonly agent: string };

interface Task {
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

export async function toNative(source: LogSource, sink: NativeSink, options: ConversionOptions): Promise<void> {
  const { sessionId, time, agent } = await lookAhead(source);
  const subagents = agent === undefined ? await findSubagents(source, sessionId) : [];
  const { session } = options;
  const named = (id: string): boolean => session === id || session === sessionUuid(FORMAT.id, id);
  const task = { source, sink, options, sessionId, time, subagents };
  if (session === undefined || named(sessionId) || (agent !== undefined && named(subagentId(sessionId, agent)))) {
    await convert({ ...task, scope: agent === undefined ? { is: 'main' } : { is: 'agent', agent } });
    return;
  }
  const child = subagents.find(({ agent: one }) => session === one || named(subagentId(sessionId, one)));
  if (child?.path === undefined) {
    const inside = await findInside(source, (one) => session === one || named(subagentId(sessionId, one)));
    if (inside === undefined) throw new AppError(`${source.name}: no session '${session}' is in this log`);
    await convert({ ...task, subagents: [], scope: { is: 'inside', agent: inside } });
    return;
  }
  const file = await source.open(child.path);
  if (!file) throw new AppError(`${child.path}: the log of this subagent is gone`);
  try {
    const scope = { is: 'agent', agent: child.agent } as const;
    await convert({ ...task, source: file, subagents: [], scope, title: child.title });
  } finally {
    await file.close();
  }
}

async function convert(task: Task): Promise<void> {
  const learned = new Learned();
  for (let pass = 1; ; pass++) {
    learned.grew = false;
    const conversion = new ClaudeConversion(task, learned, pass === PASSES);
    await conversion.read();
    if (!learned.grew) {
      conversion.end();
      return;
    }
    task.sink.restart();
  }
}

/** Whether the model sees less from here on than the records say. */
function editsContext({ type, replacements }: JsonObject): boolean {
  if (type === 'content-replacement') return !Array.isArray(replacements) || replacements.length > 0;
  return type === 'marble-origami-commit' || type === 'marble-origami-snapshot';
}

/** An answer that may go on. */
interface OpenClaudeAnswer {
  readonly answer: ClaudeAnswer;
  readonly first: Taken;
  /** What follows it so far. */
  readonly held: Taken[];
  /** Records of it that are further on in the file. */
  readonly late: Taken[];
}

/** One pass over a log. */
class ClaudeConversion {
  readonly #task: Task;
  readonly #learned: Learned;
  readonly #isLast: boolean;
  readonly #input: ReturnType<typeof countedRecords>;
  readonly #writer: NativeWriter;
  readonly #places: Places;
  readonly #tree: TreeWriter;
  readonly #subagents: ClaudeSubagents;
  readonly #notes = new SessionNotes();
  readonly #compactions: ClaudeCompactions;
  /** By the key of an answer: its first uuid. */
  readonly #answerUuids = new Cells();
  /** By the call of the model: whether it was paid for. */
  readonly #paid = new Cells();
  /** By their offsets: records that were read before their turn. */
  readonly #takenEarly = new Map<number, Taken>();
  /** By uuid: the subagent whose record it is, where the records of several sessions share the file. */
  readonly #agentOf = new Map<string, string>();
  /** By uuid: the parent, which was not met yet. */
  readonly #orphans = new Map<string, string>();
  #answer: OpenClaudeAnswer | undefined;

  constructor(task: Task, learned: Learned, isLast: boolean) {
    const { source, sink, options, subagents, sessionId } = task;
    this.#task = task;
    this.#learned = learned;
    this.#isLast = isLast;
    const texts = new LongTexts(source, HANDED_ON);
    this.#writer = new NativeWriter(FORMAT, source, sink, options, this.#id, texts);
    this.#input = countedRecords(source, (...damage) => this.#writer.damaged(...damage), texts);
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
        const rare = this.#take(record);
        if (rare) await rare;
      }
    this.#closeAnswer(false);
    this.#compactions.giveUp();
    if (!this.#isLast) this.#learned.learnParents(this.#orphans, this.#places);
  }

  /** Only a record that has to be read again at another place of the file takes its time. */
  #take(record: SourceRecord): Promise<void> | undefined {
    const { value, offset } = record;
    const early = this.#takenEarly.size > 0 ? this.#takenEarly.get(offset) : undefined;
    if (early) {
      this.#notes.see(early);
      return undefined;
    }
    const { uuid, parentUuid } = value;
    if (typeof uuid !== 'string' || parentUuid === undefined) return this.#beside(record);
    const first = this.#places.spanOf(uuid);
    if (first) return this.#again(uuid, first, record);
    const above = this.#learned.above.size > 0 ? this.#learned.above.get(uuid) : undefined;
    return above ? this.#below(above, record) : this.#first(record);
  }

  /** A record that was not met before. */
  #first(record: SourceRecord): Promise<void> | undefined {
    const last =
      this.#learned.replaced.size > 0 ? this.#learned.replaced.get(record.value['uuid'] as string) : undefined;
    return last ? this.#replaced(record, last) : this.#inTree(record);
  }

  /** A record whose parents are further on in the file. */
  async #below(above: readonly RecordSpan[], record: SourceRecord): Promise<void> {
    for (const span of above) {
      const parent = this.#takenEarly.has(span.offset) ? undefined : await this.#readAgain(span);
      if (!parent) continue;
      this.#takenEarly.set(span.offset, this.#described(parent));
      await this.#first(parent);
    }
    await this.#first(record);
  }

  /** What a record is; one that does not have the shape of its type is kept as it is. */
  #described(record: SourceRecord): Taken {
    const facts = describeRecord(record.value);
    const time = Date.parse(facts.timestamp ?? '');
    if (hasKnownShape(record.value) !== false) return { record, facts, time };
    this.#writer.loss('BAD_SHAPE', 'lossy', record.line, facts.id);
    return { record, facts: { ...facts, kind: 'other' }, time };
  }

  /** A record that is no part of the tree. */
  #beside(record: SourceRecord): undefined {
    const taken = this.#described(record);
    const { value } = record;
    if (this.#task.scope.is === 'inside') return this.#leave(taken);
    this.#notes.about(value);
    if (value['type'] === 'last-prompt') this.#notes.nameLeaf(value['leafUuid']);
    if (editsContext(value)) this.#writer.loss('CONTEXT_EDITED', 'lossy', record.line);
    if (taken.facts.kind === 'title') this.#notes.name(value);
    this.#place(taken);
  }

  /** A record of another session that shares the file. */
  #leave({ record, facts }: Taken): undefined {
    this.#writer.loss('OTHER_SESSION', 'info', record.line, facts.id);
    this.#writer.count('dropped');
  }

  #inTree(record: SourceRecord): Promise<void> | undefined {
    const taken = this.#described(record);
    if (!this.#isMine(taken)) return this.#leave(taken);
    this.#register(taken);
    return taken.facts.kind === 'answer' || taken.facts.kind === 'error' ? this.#spoken(taken) : this.#place(taken);
  }

  #isMine({ record, facts }: Taken): boolean {
    const { scope } = this.#task;
    const { isSidechain, agentId, message } = record.value;
    if (scope.is === 'agent') return agentId === undefined || agentId === scope.agent;
    if (isSidechain !== true) return scope.is === 'main';
    const uuid = facts.id as string;
    const known = facts.parentId ? this.#agentOf.get(facts.parentId) : undefined;
    const agent = stringOf(agentId) ?? known ?? uuid;
    this.#agentOf.set(uuid, agent);
    if (scope.is === 'inside') return agent === scope.agent;
    this.#subagents.meet(agent, isObject(message) ? message['content'] : undefined);
    return false;
  }

  #register(taken: Taken): void {
    const { id, parentId, kind } = taken.facts;
    const isMessage = kind !== 'attachment' && kind !== 'side' && kind !== 'other';
    if (parentId && !this.#places.isKnown(parentId)) this.#orphans.set(id as string, parentId);
    this.#places.add(id as string, parentId ?? undefined, isMessage, taken.record);
    if (parentId) this.#places.join(id as string, parentId, isMessage);
    this.#notes.see(taken);
  }

  #place(taken: Taken): undefined {
    const { kind } = taken.facts;
    const open = this.#answer;
    // A tool may answer while the model still speaks.
    const mayWait = ['results', 'attachment', 'side', 'other', 'title'].includes(kind);
    if (open && mayWait && open.held.length < MOST_HELD) {
      open.held.push(taken);
      return;
    }
    this.#closeAnswer(kind === 'interrupt');
    if (!this.#compactions.isOpen) this.#writer.texts.forgetBefore(taken.record.textsBefore);
    this.#put(taken);
  }

  #put(taken: Taken): void {
    const { kind } = taken.facts;
    if (kind === 'boundary') this.#compactions.begin(taken);
    else if (kind === 'summary') this.#compactions.summary(taken);
    else if (this.#compactions.isOpen && ['attachment', 'side', 'other', 'title'].includes(kind))
      this.#compactions.hold(taken);
    else {
      this.#compactions.giveUp();
      if (kind === 'results' && this.#isLate(taken)) return;
      this.#tree.writeAny(taken);
    }
  }

  /** A result that comes after somebody spoke belongs before that. */
  #isLate({ record, facts }: Taken): boolean {
    const call = facts.results.map((id) => this.#tree.calls.find(id)).find((found) => found && !found.isAnswered);
    if (this.#isLast || !call || this.#places.answerTip(call.entry) !== undefined) return false;
    this.#learned.addLate(call.entry, record);
    return true;
  }

  /** A record of an answer: all that have one key are one message. */
  #spoken(taken: Taken): Promise<void> | undefined {
    const { record, facts } = taken;
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
    if (before !== undefined && this.#isPartOf(taken, before)) {
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
    this.#answer = { answer: new ClaudeAnswer(key, record), first: taken, held: [], late: [] };
    const late = this.#learned.late.get(uuid);
    return late ? this.#takeLate(late) : undefined;
  }

  /** Whether a record hangs below an answer or its results, or beside it; a copy of the answer hangs elsewhere. */
  #isPartOf({ facts }: Taken, answer: string): boolean {
    const { parentId } = facts;
    const above = parentId ? this.#places.parentOf(parentId) : undefined;
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
    for (const taken of late) {
      if (taken.facts.kind === 'results') held.push(taken);
      else {
        answer.add(taken.record.value);
        this.#writer.count('merged');
      }
    }
    const request = this.#writer.ids.intern(answer.request);
    const isPaid = this.#paid.get(request) === NONE;
    this.#paid.set(request, 1);
    if (!isPaid) this.#writer.loss('REPLAYED_PREFIX', 'info', first.record.line, first.facts.id);
    const wasInterrupted = isInterrupted && !held.some(({ facts }) => facts.kind === 'results');
    this.#tree.answer(answer, first, { isPaid, wasInterrupted });
    for (const taken of held) this.#put(taken);
  }

  /** Records of an answer that are further on in the file. */
  async #takeLate(spans: readonly RecordSpan[]): Promise<void> {
    const open = this.#answer;
    for (const span of spans) {
      const record = await this.#readAgain(span);
      if (!open || !record) continue;
      const taken = this.#described(record);
      this.#takenEarly.set(span.offset, taken);
      this.#register(taken);
      open.late.push(taken);
    }
  }

  /** A uuid that was met before. */
  async #again(uuid: string, first: RecordSpan, record: SourceRecord): Promise<void> {
    this.#writer.count('merged');
    this.#writer.loss('DUPLICATE', 'info', record.line, uuid);
    if (this.#learned.replaced.get(uuid)?.offset === record.offset || this.#isLast) return;
    const [a, b] = [await this.#bytesOf(first), await this.#bytesOf(record)];
    const isReplaced = this.#learned.replaced.has(uuid);
    const isNewer = record.offset > (this.#learned.replaced.get(uuid)?.offset ?? -1);
    if (isNewer && (isReplaced || !a.equals(b))) this.#learned.replace(uuid, record);
  }

  async #replaced(record: SourceRecord, last: RecordSpan): Promise<void> {
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
    this.#writer.end({ ...about, id: this.#id, parent }, this.#input.facts());
  }
}
