import { stringOf } from '../../entries/entry-type.ts';
import { isCount } from '../../json/exact.ts';
import { isObject, type JsonObject, objectOf } from '../../json/value.ts';
import { sessionUuid } from '../../util/uuid.ts';
import type { ConversionOptions, SourceRecord } from '../format.ts';
import type { NativeWriter, Place } from '../native-writer.ts';
import { CodexAnswers } from './answers.ts';
import { CodexCompactions } from './compactions.ts';
import { isEnvelope, type Meta } from './envelope.ts';
import {
  answerContent,
  callEndOf,
  callOf,
  contentOf,
  isPrompt,
  outputOf,
  present,
  shellCommandOf,
  thinkingOf,
  withoutInternals,
} from './items.ts';
import type { FindSession } from './near.ts';
import { RepeatedMessages } from './repeated-messages.ts';

const ANSWERED = Symbol('answered');

/** Converts the records of a rollout to native entries, one after the other. */
export class CodexConversion {
  readonly #writer: NativeWriter;
  readonly #options: ConversionOptions;
  readonly #find: FindSession;
  #textsBefore = 0;
  readonly #answers: CodexAnswers;
  readonly #compactions: CodexCompactions;
  readonly #repeated: RepeatedMessages;
  /** The tools of calls by id, or that a call has its result. */
  readonly #calls = new Map<string, string | typeof ANSWERED>();
  readonly #openCalls = new Map<string, number>();
  /** The parents of the prompts on the path. */
  readonly #beforePrompts: string[] = [];
  readonly #subagents = new Set<string>();
  #meta: Meta | undefined;
  /** Until this time the records of a fork are copies, whose usage was counted in the original. */
  #replayedUntil = 0;
  #title: string | undefined;
  #cwd: string | undefined;
  #firstTime: string | undefined;
  /** The records come from the session that this one continues. */
  inherits = false;

  constructor(writer: NativeWriter, options: ConversionOptions, meta: Meta | undefined, find: FindSession) {
    this.#writer = writer;
    this.#options = options;
    this.#find = find;
    this.#firstTime = meta?.time;
    const forget = () => writer.texts.forgetBefore(this.#textsBefore);
    this.#answers = new CodexAnswers(writer, stringOf(meta?.payload['model_provider']) || 'openai', forget);
    this.#compactions = new CodexCompactions(writer);
    this.#repeated = new RepeatedMessages({
      count: (outcome) => this.#count(outcome),
      addAnswer: (text, place) => {
        this.#answers.add([{ type: 'text', text }], place);
        this.#writer.loss('ITEM_MISSING', 'ambiguous', place.line);
      },
      addPrompt: (text, place) => {
        this.#prompt([{ type: 'text', text }], place);
        this.#writer.loss('ITEM_MISSING', 'ambiguous', place.line);
      },
    });
  }

  get facts() {
    return { title: this.#title, cwd: stringOf(this.#meta?.payload['cwd']) || this.#cwd };
  }

  handle(record: SourceRecord): Promise<void> | undefined {
    const { value, textsBefore } = record;
    this.#compactions.beforeRecord(value);
    this.#textsBefore = textsBefore;
    const place = this.#placeOf(record);
    const isWrapped = isEnvelope(value);
    const payload = isWrapped ? (value['payload'] as JsonObject) : value;
    this.#answers.isReplay = this.inherits || this.#isReplayed(value, place);
    this.#writer.isReplay = this.#answers.isReplay;
    this.#answers.grow(record.length);
    if (isWrapped && value['type'] !== 'response_item') return this.#other(value, payload, place);
    if (isWrapped || typeof value['type'] === 'string') this.#item(payload, value, place);
    else this.#bare(value, place);
    return undefined;
  }

  settle(): void {
    this.#compactions.beforeRecord();
    this.#repeated.end();
    this.#answers.settle();
  }

  end(): void {
    this.#compactions.beforeRecord();
    this.#repeated.end();
    this.#answers.end();
    for (const [id, line] of this.#openCalls) this.#writer.loss('PENDING_CALL', 'info', line, id);
  }

  #placeOf({ value, line, json }: SourceRecord): Place {
    const time = typeof value['timestamp'] === 'string' ? value['timestamp'] : this.#firstTime;
    this.#firstTime = undefined;
    return this.inherits ? { line: 1, time, id: `base-${line}` } : { line, time, json };
  }

  #isReplayed(value: JsonObject, { time }: Place): boolean {
    if (this.#replayedUntil === 0) return false;
    const start = this.#meta?.payload['subagent_history_start_ordinal'];
    const isBefore =
      typeof start === 'number' && typeof value['ordinal'] === 'number'
        ? value['ordinal'] < start
        : Date.parse(String(time)) <= this.#replayedUntil;
    if (!isBefore) this.#replayedUntil = 0;
    return isBefore;
  }

  #count(outcome: Parameters<NativeWriter['count']>[0]): void {
    if (!this.inherits) this.#writer.count(outcome);
  }

  /** Keeps a record without a native counterpart at its place. */
  #keep(type: string, record: JsonObject, place: Place): void {
    if (!this.inherits) this.#answers.later(() => this.#writer.keep(type, record, place));
  }

  #losses(codes: readonly string[], place: Place): void {
    for (const code of codes) this.#writer.loss(code, code === 'IMAGE_DETAIL' ? 'info' : 'lossy', place.line);
  }

  /** A line of the first Rust versions that is not an item. */
  #bare(value: JsonObject, place: Place): void {
    if (!this.#meta && typeof value['id'] === 'string') this.#session(value, value, place);
    else if (value['record_type'] === 'state' && Object.keys(value).length === 1) {
      this.#count('dropped');
      this.#writer.loss('EMPTY_STATE', 'info', place.line);
    } else this.#keep(stringOf(value['record_type']) || 'record', value, place);
  }

  #session(payload: JsonObject, record: JsonObject, place: Place): undefined {
    if (this.inherits) return;
    if (this.#meta) {
      // A fork of older versions starts with a copy of the session that it continues.
      const started = Date.parse(stringOf(this.#meta.payload['timestamp']));
      if (payload['id'] !== this.#meta.id && Number.isFinite(started)) {
        this.#replayedUntil = started + 1000;
        this.#writer.loss('REPLAYED_PREFIX', 'info', place.line);
      }
      this.#keep('session_meta', record, place);
      return;
    }
    this.#meta = { id: stringOf(payload['id']), payload, time: stringOf(payload['timestamp']) || undefined };
    this.#count('mapped');
    if (this.#options.keep === 'none') return;
    const { base_instructions, instructions, ...rest } = payload;
    const raw = this.#options.keep === 'raw' ? payload : rest;
    this.#writer.custom('codex/session_meta', { line: place.line, raw }, place);
  }

  #item(item: JsonObject, record: JsonObject, place: Place): void {
    const [type, id] = [stringOf(item['type']), stringOf(item['id'])];
    const named = id === '' ? place : { line: place.line, time: place.time, json: place.json, id };
    if (type !== 'message') this.#repeated.end();
    if (type === 'message') this.#message(item, record, named);
    else if (type === 'reasoning') this.#count(this.#answers.add([thinkingOf(item)], named));
    else if (type.endsWith('_call')) this.#call(item, named);
    else if (type.endsWith('_output')) this.#output(item, record, named);
    else if (type === 'ghost_snapshot') this.#keep(type, record, place);
    else {
      const { value } = contentOf(item['content']);
      const details = { openaiResponses: { item: withoutInternals(item) } };
      this.#later(() => this.#writer.contextMessage(type || 'item', value, named, false, details));
      this.#count('mapped');
    }
  }

  #later(write: () => void): void {
    this.#answers.close();
    this.#answers.later(write);
  }

  #message(item: JsonObject, record: JsonObject, place: Place): void {
    const { role } = item;
    if (role === 'assistant') {
      const { metadata } = record;
      if (isObject(metadata) && metadata['compaction_output'] === true) {
        this.#answers.close();
        this.#compactions.onSummary = (isLost) => (isLost ? this.#answer(item, place) : this.#count('merged'));
      } else this.#answer(item, place);
      return;
    }
    const { value, losses } = contentOf(item['content']);
    this.#losses(losses, place);
    const command = role === 'user' ? shellCommandOf(value) : undefined;
    if (command) this.#later(() => this.#writer.message(command, place));
    else if (role === 'user' && isPrompt(item, value)) {
      this.#repeated.prompted();
      this.#prompt(value, place);
      this.#compactions.prompt(item);
    } else this.#context(stringOf(role) || 'user', item, value, place);
    this.#count('mapped');
  }

  #answer(item: JsonObject, place: Place): void {
    const { value, losses } = answerContent(item);
    this.#repeated.answered(value);
    this.#losses(losses, place);
    this.#count(this.#answers.add(value, place));
  }

  #context(role: string, item: JsonObject, content: JsonObject[], place: Place): void {
    this.#compactions.context(item);
    this.#cwd ??= /<cwd>([^<]+)<\/cwd>/.exec(stringOf(content[0]?.['text']))?.[1];
    const [type, details] = role === 'user' ? ['context'] : [role, { openaiResponses: { role } }];
    if (details) this.#writer.loss('SYSTEM_AS_USER', 'info', place.line);
    this.#later(() => this.#writer.contextMessage(type, content, place, false, details));
  }

  #prompt(content: JsonObject[], place: Place): void {
    this.#answers.settle();
    this.#answers.startTurn();
    this.#beforePrompts.push(this.#writer.last);
    this.#writer.message({ role: 'user', content }, place);
  }

  #call(item: JsonObject, place: Place): void {
    const { id, block, isRemote, losses } = callOf(item, place.line);
    this.#losses(losses, place);
    this.#calls.set(id, stringOf(block['name']));
    if (!isRemote) this.#openCalls.set(id, place.line);
    this.#count(this.#answers.add([block], place, isRemote ? 'remote' : 'call'));
  }

  #output(item: JsonObject, record: JsonObject, place: Place): void {
    const id = stringOf(item['call_id']) || stringOf(item['id']);
    const tool = this.#calls.get(id);
    if (tool === ANSWERED) {
      this.#writer.loss('DUP_RESULT', 'lossy', place.line, id);
      if (!this.inherits) this.#later(() => this.#writer.keep(stringOf(item['type']), record, place));
      return;
    }
    if (tool === undefined) this.#writer.loss('ORPHAN_RESULT', 'lossy', place.line, id);
    this.#calls.set(id, ANSWERED);
    this.#openCalls.delete(id);
    const { content, failed, details, losses } = outputOf(item, this.#writer.texts);
    this.#losses(losses, place);
    this.#count('mapped');
    this.#later(() => {
      const end = this.#answers.takeEnd(id);
      const isError = end?.failed ?? failed;
      if (isError === undefined) this.#writer.loss('ISERROR_UNKNOWN', 'info', place.line);
      const codex = { ...objectOf(details['codex']), ...end?.details };
      const all = { ...details, ...(Object.keys(codex).length > 0 ? { codex } : {}) };
      const more = { isError: isError ?? false, details: Object.keys(all).length > 0 ? all : undefined };
      const message = { role: 'toolResult', toolCallId: id, toolName: tool ?? 'unknown', content, ...more };
      this.#writer.message(message, place);
    });
  }

  #other(record: JsonObject, payload: JsonObject, place: Place): Promise<void> | undefined {
    switch (record['type']) {
      case 'session_meta':
        return this.#session(payload, record, place);
      case 'turn_context':
        this.#turnContext(payload);
        break;
      case 'token_usage_record':
        this.#answers.addUsage('record', payload, place);
        this.#count('merged');
        return undefined;
      case 'compacted':
        return this.#compacted(payload, place);
      case 'event_msg':
        return this.#event(payload, record, place);
    }
    this.#keep(stringOf(record['type']), record, place);
    return undefined;
  }

  #turnContext({ model, effort, collaboration_mode: mode }: JsonObject): void {
    const settings = objectOf(objectOf(mode)['settings']);
    this.#answers.model = stringOf(model) || this.#answers.model;
    this.#answers.level = stringOf(effort) || stringOf(settings['reasoning_effort']) || undefined;
  }

  #compacted(payload: JsonObject, place: Place): undefined {
    this.#repeated.end();
    const usage = this.#answers.takeSpare();
    this.#answers.settle();
    this.#compactions.write(payload, place, this.#answers.facts, usage);
    this.#answers.startTurn();
    this.#count('mapped');
  }

  #event(event: JsonObject, record: JsonObject, place: Place): Promise<void> | undefined {
    const item = isObject(event['item']) ? event['item'] : undefined;
    const type = stringOf(item ? item['type'] : event['type']);
    const end = callEndOf(event);
    if (end && end.id !== '' && this.#answers.ended(end)) {
      this.#count('merged');
      return undefined;
    }
    switch (type) {
      case 'token_count':
        return this.#tokenCount(event, record, place);
      case 'user_message':
      case 'UserMessage':
      case 'agent_message':
      case 'AgentMessage':
        if (this.#repeated.addEvent(type, item ?? event, place)) return undefined;
        break;
      case 'agent_reasoning':
      case 'agent_reasoning_raw_content':
      case 'Reasoning':
      case 'context_compacted':
      case 'ContextCompaction':
      case 'web_search_end':
      case 'WebSearch':
        this.#count('merged');
        return undefined;
      case 'SubAgentActivity':
      case 'collab_agent_spawn_end':
        return this.#subagent(item ?? event, record, place);
      case 'thread_name_updated':
        this.#title = stringOf(event['thread_name']) || this.#title;
        break;
      case 'thread_rolled_back':
        return this.#rollback(event, place);
      case 'task_started':
      case 'turn_started':
        this.#answers.turnStarts();
        break;
      case 'turn_aborted':
        this.#answers.turnEnds();
        this.#stopped('aborted', stringOf(event['reason']) || 'interrupted', place);
        if (event['reason'] === 'budget_limited') this.#writer.loss('BUDGET', 'info', place.line);
        break;
      case 'task_complete':
      case 'turn_complete':
        this.#answers.turnEnds();
        if (isObject(event['error'])) this.#stopped('error', stringOf(event['error']['message']), place);
        break;
    }
    this.#keep(type || 'event_msg', record, place);
    return undefined;
  }

  #stopped(how: 'aborted' | 'error', message: string, place: Place): void {
    this.#repeated.end();
    this.#answers.stop(how, message, place);
  }

  #tokenCount(event: JsonObject, record: JsonObject, place: Place): undefined {
    const isKnown = event['info'] !== null && event['info'] !== undefined;
    if (isKnown) this.#answers.addUsage('event', event, place);
    if (isKnown) this.#count('merged');
    else this.#keep('token_count', record, place);
  }

  #rollback(event: JsonObject, place: Place): undefined {
    this.settle();
    // Codex does not read any other number.
    const turns = isCount(event['num_turns']) ? Number(event['num_turns']) : 0;
    const at = Math.max(0, this.#beforePrompts.length - turns);
    const parent = turns === 0 ? undefined : (this.#beforePrompts[at] ?? null);
    this.#beforePrompts.length = Math.min(at, this.#beforePrompts.length);
    this.#compactions.rollback(turns);
    // It is the leaf if nothing follows.
    this.#writer.custom('codex/thread_rolled_back', { line: place.line, turns }, { ...place, parent });
    this.#answers.startTurn();
    this.#count('mapped');
  }

  async #subagent(event: JsonObject, record: JsonObject, place: Place): Promise<void> {
    const id = stringOf(event['agent_thread_id']) || stringOf(event['new_thread_id']);
    if (id === '' || this.#subagents.has(id) || this.inherits)
      return this.#keep(stringOf(event['type']), record, place);
    this.#subagents.add(id);
    const path = await this.#find(id);
    const call = stringOf(event['call_id']) || stringOf(event['id']);
    const title = stringOf(event['agent_path']) || stringOf(event['new_agent_nickname']) || undefined;
    const role = stringOf(event['new_agent_role']) || undefined;
    const child = { childSession: sessionUuid('codex', id), sourceId: id };
    if (path === undefined) this.#writer.loss('SUBAGENT_MISSING', 'info', place.line, id);
    this.#answers.later(() => {
      const link = present({ toolCallId: this.#calls.has(call) ? call : undefined, role });
      if (path !== undefined) this.#writer.related({ id, path, ...present({ title }), ...link }, place);
      else this.#writer.custom('sessionctl/subagent', { ...child, ...link }, place);
    });
    this.#count('mapped');
  }
}
