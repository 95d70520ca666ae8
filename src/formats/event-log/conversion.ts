import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import type { NumberedSource } from '../convert-numbered.ts';
import type { ConversionOptions, SourceRecord } from '../format.ts';
import { keptRecord } from '../kept.ts';
import type { HeaderFacts, NativeWriter, Place } from '../native-writer.ts';
import { SequenceCheck, seqOf } from '../sequence.ts';
import { millisecondsOf } from '../times.ts';
import { EventAnswers } from './answers.ts';
import { artifactText } from './artifacts.ts';
import { type Event, EventCalls, endOf } from './calls.ts';
import { canonicalType, countUnread, decisionOf, memberOf, pathOf } from './event.ts';

/** How many bytes of events are held after an answer. */
const MOST_HELD = 16 * 1024 * 1024;
const BUDGET = /budget|quota|token limit|usage limit|credit/i;

class EventConversion {
  readonly #writer: NativeWriter;
  readonly #options: ConversionOptions;
  readonly #id: string;
  readonly #answers: EventAnswers;
  readonly #calls: EventCalls;
  readonly #artifact: (ref: string) => Promise<string | undefined>;
  readonly #seen = new Set<string>();
  /** Messages since the last compaction: the ids of entry and event, and its number. */
  #messages: { readonly id: string; readonly event: string; readonly seq: number | undefined }[] = [];
  #held: Event[] = [];
  #bytes = 0;
  #started = false;
  #cwd: string | undefined;
  #title: string | undefined;
  #firstTime: string | undefined;
  readonly #sequence: SequenceCheck;
  /** Nothing was shortened, so a conversion back gives the same events. */
  isExact: boolean;

  constructor(
    writer: NativeWriter,
    options: ConversionOptions,
    id: string,
    artifact: (ref: string) => Promise<string | undefined>,
  ) {
    this.#writer = writer;
    this.#sequence = new SequenceCheck(writer);
    this.#options = options;
    this.isExact = options.keep !== 'none';
    this.#id = id;
    this.#answers = new EventAnswers(writer);
    this.#artifact = artifact;
    this.#calls = new EventCalls(writer, artifact);
  }

  get facts(): HeaderFacts {
    return { id: this.#id, time: this.#firstTime, cwd: this.#cwd, title: this.#title };
  }

  handle({ value, line, length }: SourceRecord): Promise<void> | undefined {
    const time = stringOf(value['ts']) || (typeof value['ts'] === 'number' ? value['ts'] : undefined);
    this.#firstTime ??= typeof time === 'string' ? time : undefined;
    const id = stringOf(value['id']);
    const place: Place = { line, time, id: id || undefined };
    if (id !== '' && this.#seen.has(id)) {
      this.#writer.loss('DUP_RECORD', 'info', line, id);
      this.#hold({ type: '', value, place }, length);
      return undefined;
    }
    this.#seen.add(id);
    this.#sequence.add(value, line);
    const type = canonicalType(value['type']);
    for (let unread = countUnread(value, type); unread > 0; unread--)
      this.#writer.loss('FIELD_UNMAPPED', 'info', line, id);
    this.#learn(type, value, id);
    return this.#process({ type, value, place }, length);
  }

  async end(): Promise<void> {
    await this.#close(false);
    this.#calls.end();
  }

  /** Remembers what an event says of the session, and its call. */
  #learn(type: string, value: JsonObject, id: string): void {
    this.#cwd ??= stringOf(memberOf(value, 'cwd')) || undefined;
    if (type.startsWith('session.')) this.#title = stringOf(memberOf(value, 'title')) || this.#title;
    if (/^(?:session\.started|model\.\w+)$/.test(type)) this.#answers.useModel(value);
    this.#calls.learn(type, value, id);
  }

  #process(event: Event, length: number): Promise<void> | undefined {
    const { type, value } = event;
    const text = memberOf(value, 'text');
    switch (type) {
      case 'user.message':
        if (typeof text !== 'string') break;
        return this.#close(true, () => this.#user(text, event));
      case 'model.responded':
        this.#writer.count('mapped');
        return this.#close(true, () => this.#answers.begin(value, event.place));
      case 'tool.intent.created':
        if (this.#intent(event)) return undefined;
        break;
      case 'context.compaction.finished':
        return this.#close(true, () => this.#compaction(event));
      case 'tool.finished':
      case 'observation.projected':
        this.#calls.register(event);
        break;
    }
    this.#hold(event, length);
    return this.#bytes > MOST_HELD ? this.#close(false) : undefined;
  }

  #hold(event: Event, length: number): void {
    this.#held.push(event);
    this.#bytes += length;
  }

  /** Writes the open answer and the events after it; then calls `next`. */
  async #close(goesOn: boolean, next?: () => void | Promise<void>): Promise<void> {
    const held = this.#held;
    this.#held = [];
    this.#bytes = 0;
    const id = this.#answers.write();
    if (id) this.#messages.push(id);
    for (const event of held) await this.#write(event, goesOn);
    await next?.();
  }

  #user(text: string, { value, place }: Event): void {
    const id = this.#writer.message({ role: 'user', content: [{ type: 'text', text }] }, place);
    this.#messages.push({ id, event: stringOf(value['id']), seq: seqOf(value) });
    this.#extra(id, place, keptRecord(value, place.line, ...pathOf(value, 'text')));
    this.#writer.count('mapped');
  }

  #extra(target: string, place: Place, ...records: readonly JsonObject[]): void {
    this.#writer.extra(target, { records }, place);
  }

  /** A call that the model asked for; false where it does not say which. */
  #intent({ value, place }: Event): boolean {
    const id = stringOf(memberOf(value, 'toolCallId'));
    const name = stringOf(memberOf(value, 'toolName')) || 'unknown';
    if (id === '' || !this.#calls.add(id, name, place.line)) return false;
    this.#writer.count(this.#answers.call(id, name, value, place) ? 'mapped' : 'merged');
    return true;
  }

  /** The summary replaces the range that the event names; without one, all messages. */
  async #compaction(event: Event): Promise<void> {
    const { value, place } = event;
    const { summary, path } = await this.#summaryOf(value);
    if (summary === undefined) {
      this.#writer.loss('COMPACTION_HALF', 'damaged', place.line);
      this.#evidence('event-log/compaction', { state: 'started' }, event);
      return;
    }
    const end = replacedTo(value);
    const at =
      end === undefined ? -1 : this.#messages.findIndex(({ event: id, seq }) => id === end || (seq ?? 0) > Number(end));
    const kept = typeof end === 'string' && at >= 0 ? this.#messages[at + 1] : this.#messages[at];
    const id = this.#writer.entry(
      'compaction',
      (own) => ({ summary, firstKeptEntryId: kept?.id ?? own, tokensBefore: 0 }),
      place,
    );
    this.#messages = at < 0 ? [] : this.#messages.slice(at);
    this.#extra(id, place, keptRecord(value, place.line, ...path));
    this.#writer.count('mapped');
  }

  async #summaryOf(event: JsonObject): Promise<{ summary: string | undefined; path: readonly string[] }> {
    const summary = memberOf(event, 'summary');
    if (typeof summary === 'string') return { summary, path: pathOf(event, 'summary') };
    const ref = stringOf(memberOf(event, 'summaryRef'));
    return { summary: ref === '' ? undefined : await this.#artifact(ref), path: [] };
  }

  async #write(event: Event, goesOn: boolean): Promise<void> {
    const { type, value, place } = event;
    const toolCallId = this.#calls.idFor(value);
    if (toolCallId !== undefined && (await this.#aboutCall(toolCallId, event, goesOn))) return;
    if (this.#aboutSession(event, goesOn)) return;
    if (type === 'session.started' && !this.#started && this.#options.keep !== 'none') {
      this.#started = true;
      this.#writer.custom('event-log/session.started', { line: place.line, raw: value }, place);
      this.#writer.count('mapped');
      return;
    }
    const isWhole = this.#writer.keep(stringOf(value['type']) || 'event', value, place);
    this.isExact &&= isWhole;
  }

  /** Writes an event about a call; false for any other event. */
  async #aboutCall(toolCallId: string, event: Event, goesOn: boolean): Promise<boolean> {
    const { type, value, place } = event;
    const decision = decisionOf(type, value);
    if (decision !== undefined) {
      const by = type.startsWith('user') ? 'user' : 'policy';
      if (decision === 'denied') this.#calls.named(toolCallId, value).denied ??= by;
      this.#evidence('event-log/policy', { toolCallId, decision, by }, event);
      return true;
    }
    if (type === 'observation.projected') return await this.#calls.observed(toolCallId, event);
    if (type === 'tool.started') {
      const { name: toolName } = this.#calls.named(toolCallId, value);
      const startedAt = millisecondsOf(place.time) ?? null;
      this.#evidence('tool_execution_start', { toolCallId, toolName, startedAt }, event);
      return true;
    }
    if (type !== 'tool.finished') return false;
    if (!(await this.#calls.ended(toolCallId, event, goesOn)))
      this.#evidence('event-log/tool.finished', { toolCallId, ...endOf(value) }, event);
    return true;
  }

  /** Writes an event about the state of the session; false for any other event. */
  #aboutSession(event: Event, goesOn: boolean): boolean {
    const { type, value, place } = event;
    const reason = stringOf(memberOf(value, 'reason'));
    if (type === 'context.compaction.started') {
      if (!goesOn) this.#writer.loss('COMPACTION_HALF', 'damaged', place.line);
      this.#evidence('event-log/compaction', { state: 'started' }, event);
    } else if (type === 'verification.started' || type === 'verification.finished') {
      const status = type === 'verification.started' ? 'started' : verdictOf(memberOf(value, 'status'));
      this.#evidence('event-log/verification', { status, command: memberOf(value, 'command') }, event);
    } else if (type === 'budget.exhausted' || type === 'session.paused' || type === 'session.resumed') {
      const isBudget = type === 'budget.exhausted' || (type === 'session.paused' && BUDGET.test(reason));
      const state = isBudget ? 'budget' : type.slice('session.'.length);
      this.#evidence('event-log/lifecycle', { state, reason }, event);
    } else if (type === 'session.completed' || type === 'session.failed') {
      const kind = type === 'session.completed' ? 'normal' : 'fatal';
      this.#evidence('session_exit', { kind, reason, recordedAt: value['ts'] }, event);
    } else return false;
    return true;
  }

  /** An entry that `status` reads, whatever else is kept. */
  #evidence(customType: string, facts: JsonObject, { value, place }: Event): void {
    const raw = this.#options.keep === 'none' ? {} : { raw: value };
    this.#writer.custom(customType, { ...facts, line: place.line, ...raw }, place);
    this.#writer.count('custom');
  }
}

function verdictOf(status: unknown): 'passed' | 'failed' | 'unknown' {
  if (/^(?:ok|pass(?:ed)?|success(?:ful)?|succeeded|true|0)$/i.test(String(status))) return 'passed';
  return typeof status === 'string' && status !== '' ? 'failed' : 'unknown';
}

/** The last event that a compaction replaces, by its id or its number. */
function replacedTo(event: JsonObject): string | number | undefined {
  const range = memberOf(event, 'replacedRange') ?? memberOf(event, 'replacedMessageRange');
  const end = Array.isArray(range) ? range[1] : isObject(range) ? (range['to'] ?? range['end']) : undefined;
  return typeof end === 'string' || typeof end === 'number' ? end : undefined;
}

/** Snapshots are not read: the events have all that they say. */
export const numbered: NumberedSource = {
  idOf: ({ sessionId }) => stringOf(sessionId),
  begin: (writer, options, id, source) =>
    new EventConversion(writer, options, id, (ref) => artifactText(source, ref, id)),
};
