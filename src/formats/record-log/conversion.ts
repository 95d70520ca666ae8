import { stringOf } from '../../entries/entry-type.ts';
import { exactJson, numberOf } from '../../json/exact.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { toJson } from '../../util/to-json.ts';
import type { NumberedSource } from '../convert-numbered.ts';
import type { ConversionOptions, SourceRecord } from '../format.ts';
import { type KeptRecord, keptRecord } from '../kept.ts';
import type { HeaderFacts, NativeWriter, Place } from '../native-writer.ts';
import { SequenceCheck, seqOf } from '../sequence.ts';
import { millisecondsOf } from '../times.ts';
import { UNKNOWN_USAGE, usageOf } from '../usage.ts';

/** An open answer of the model: reasoning, then calls or the text. */
interface RecordAnswer {
  readonly place: Place;
  readonly blocks: JsonObject[];
  readonly kept: KeptRecord[];
  hasCalls?: boolean;
  finished?: JsonObject;
  stopped?: { readonly reason: 'aborted' | 'error'; readonly message: string };
  messageId?: string | undefined;
}

const ANSWERED = Symbol('answered');
/** The status of a tool that was stopped. */
const STOPPED: ReadonlySet<unknown> = new Set(['cancelled', 'canceled', 'aborted', 'interrupted']);

class RecordConversion {
  readonly #writer: NativeWriter;
  readonly #options: ConversionOptions;
  readonly #id: string;
  readonly #calls = new Map<string, string | typeof ANSWERED>();
  readonly #openCalls = new Map<string, number>();
  /** Entries that are written after the open answer. */
  #held: (() => unknown)[] = [];
  #answer: RecordAnswer | undefined;
  #meta: JsonObject | undefined;
  #title: string | undefined;
  #model = '';
  #provider = '';
  #firstTime: string | undefined;
  readonly #sequence: SequenceCheck;
  #lastJson = '';
  /** Nothing was shortened, so a conversion back gives the same records. */
  isExact: boolean;

  constructor(writer: NativeWriter, options: ConversionOptions, id: string) {
    this.#writer = writer;
    this.#sequence = new SequenceCheck(writer);
    this.#options = options;
    this.#id = id;
    this.isExact = options.keep !== 'none';
  }

  get facts(): HeaderFacts {
    const version = this.#meta?.['schema_version'];
    return {
      id: this.#id,
      time: stringOf(this.#meta?.['time']) || this.#firstTime,
      cwd: stringOf(this.#meta?.['cwd']) || undefined,
      title: this.#title || undefined,
      formatVersion: version === undefined ? undefined : String(numberOf(version) ?? toJson(version)),
    };
  }

  handle({ value, line, json }: SourceRecord): void {
    const time = stringOf(value['time']) || undefined;
    this.#firstTime ??= time;
    const place: Place = { line, time, json };
    if (this.#isCopy(value)) {
      this.#writer.loss('DUP_RECORD', 'info', line);
      this.#keep(value, place);
      return;
    }
    this.#sequence.add(value, line);
    if (!this.#map(value, place)) this.#keep(value, place);
  }

  /** False for a record without a native counterpart. */
  #map(record: JsonObject, place: Place): boolean {
    switch (record['type']) {
      case 'session_meta':
        return this.#session(record, place);
      case 'user':
        return this.#user(record, place);
      case 'reasoning_finished':
        return this.#reasoning(record, place);
      case 'assistant_finished':
        return this.#finished(record, place);
      case 'tool_started':
        return this.#started(record, place);
      case 'tool_finished':
        return this.#result(record, place);
      case 'cancelled':
      case 'failed':
        return this.#stopped(record, place);
      case 'session_renamed':
        this.#title = stringOf(record['title']) || this.#title;
        return false;
      case 'assistant_started':
        this.#useModel(record);
        return false;
      default:
        return false;
    }
  }

  end(): void {
    this.#close();
    for (const [id, line] of this.#openCalls) this.#writer.loss('PENDING_CALL', 'info', line, id);
  }

  #isCopy(value: JsonObject): boolean {
    const json = toJson(value);
    const isCopy = seqOf(value) !== undefined && json === this.#lastJson;
    this.#lastJson = json;
    return isCopy;
  }

  #useModel({ model, provider }: JsonObject): void {
    this.#model = stringOf(model) || this.#model;
    this.#provider = stringOf(provider) || this.#provider;
  }

  #session(record: JsonObject, place: Place): boolean {
    if (this.#meta) return false;
    this.#meta = record;
    this.#useModel(record);
    this.#title ??= stringOf(record['title']) || undefined;
    this.#writer.count('mapped');
    if (this.#options.keep !== 'none')
      this.#writer.custom('record-log/session_meta', { line: place.line, raw: record }, place);
    return true;
  }

  /** Keeps a record without a native counterpart, after the open answer. */
  #keep(record: JsonObject, place: Place): void {
    const type = stringOf(record['type']) || 'record';
    this.#later(() => {
      if (!this.#writer.keep(type, record, place)) this.isExact = false;
    });
  }

  #later(write: () => unknown): void {
    if (this.#answer) this.#held.push(write);
    else write();
  }

  #user(record: JsonObject, place: Place): boolean {
    if (typeof record['text'] !== 'string') return false;
    this.#close();
    const id = this.#writer.message(
      { role: 'user', content: [{ type: 'text', text: record['text'] }] },
      { ...place, id: stringOf(record['turn_id']) || undefined },
    );
    this.#writer.extra(id, { records: [keptRecord(record, place.line, 'text')] }, place);
    this.#writer.count('mapped');
    return true;
  }

  /** Adds to the open answer, or begins one: its first record is mapped, the others are merged. */
  #add(place: Place, block: JsonObject | undefined, kept: KeptRecord): RecordAnswer {
    this.#writer.count(this.#answer ? 'merged' : 'mapped');
    this.#answer ??= { place, blocks: [], kept: [] };
    const { length } = this.#answer.blocks;
    this.#answer.kept.push(block && length > 0 ? { ...kept, block: length } : kept);
    if (block) this.#answer.blocks.push(block);
    return this.#answer;
  }

  #reasoning(record: JsonObject, place: Place): boolean {
    const { text } = record;
    if (typeof text !== 'string' || text === '') return false;
    if (this.#answer?.finished || this.#answer?.hasCalls) this.#close();
    this.#add(place, { type: 'thinking', thinking: text }, keptRecord(record, place.line, 'text'));
    return true;
  }

  #started(record: JsonObject, place: Place): boolean {
    const { call_id: callId, name, input } = record;
    const id = stringOf(callId) || `line-${place.line}`;
    const isObjectInput = isObject(input);
    const block = {
      type: 'toolCall',
      id,
      name: stringOf(name) || 'unknown',
      arguments: isObjectInput ? input : input === undefined ? {} : { input },
    };
    const answer = this.#add(place, block, keptRecord(record, place.line, ...(isObjectInput ? ['input'] : [])));
    answer.hasCalls = true;
    const startedAt = millisecondsOf(place.time) ?? null;
    const start = { toolCallId: id, toolName: block.name, startedAt };
    this.#later(() => this.#writer.custom('tool_execution_start', start, place));
    this.#calls.set(id, block.name);
    this.#openCalls.set(id, place.line);
    return true;
  }

  #finished(record: JsonObject, place: Place): boolean {
    const text = stringOf(record['text']);
    this.#useModel(record);
    if (this.#answer?.finished || this.#answer?.hasCalls) this.#close();
    const kept = keptRecord(record, place.line, ...(text === '' ? [] : ['text']));
    const answer = this.#add(place, text === '' ? undefined : { type: 'text', text }, kept);
    answer.finished = record;
    answer.messageId = stringOf(record['message_id']) || undefined;
    if (stopReasonOf(record) !== 'toolUse') this.#close();
    return true;
  }

  #stopped(record: JsonObject, place: Place): boolean {
    if (this.#answer?.finished || this.#answer?.hasCalls) this.#close();
    const message = stringOf(record['message']) || stringOf(record['reason']) || stringOf(record['type']);
    const answer = this.#add(place, undefined, keptRecord(record, place.line));
    answer.stopped = { reason: record['type'] === 'failed' ? 'error' : 'aborted', message };
    this.#close();
    return true;
  }

  #result(record: JsonObject, place: Place): boolean {
    const id = stringOf(record['call_id']);
    const tool = this.#calls.get(id);
    if (tool === ANSWERED) {
      this.#writer.loss('DUP_RESULT', 'lossy', place.line, id);
      return false;
    }
    this.#close();
    if (tool === undefined) this.#writer.loss('ORPHAN_RESULT', 'lossy', place.line, id);
    this.#calls.set(id, ANSWERED);
    this.#openCalls.delete(id);
    const { output, error } = record;
    const isText = typeof output === 'string';
    const texts = [
      output === undefined ? '' : isText ? output : exactJson(toJson(output)),
      stringOf(error) === stringOf(output) ? '' : stringOf(error),
    ];
    const entry = this.#writer.message(
      {
        role: 'toolResult',
        toolCallId: id,
        toolName: tool ?? 'unknown',
        content: texts.filter((text) => text !== '').map((text) => ({ type: 'text', text })),
        isError: record['status'] !== 'ok',
        details: { ...detailsOf(record), ...(STOPPED.has(record['status']) ? { interrupted: true } : {}) },
      },
      place,
    );
    // An empty text has no block that it could be restored from.
    const isStored = output !== undefined && output !== '';
    const kept = keptRecord(record, place.line, ...(isStored ? ['output'] : []));
    this.#writer.extra(entry, { records: [isStored && !isText ? { ...kept, json: true } : kept] }, place);
    this.#writer.count('mapped');
    return true;
  }

  /** Writes the open answer and the entries after it. */
  #close(): void {
    const answer = this.#answer;
    const held = this.#held;
    this.#answer = undefined;
    this.#held = [];
    if (answer) this.#write(answer);
    for (const write of held) write();
  }

  #write({ place, blocks, kept, hasCalls, finished, stopped, messageId }: RecordAnswer): void {
    const writer = this.#writer;
    const provider = this.#provider || 'unknown';
    if (this.#provider === '') writer.loss('PROVIDER_UNKNOWN', 'info', place.line);
    const model = this.#model || 'unknown';
    writer.model(provider, model, place);
    const usage = finished && usageOf(finished['usage']);
    if (!finished && !stopped) writer.loss('SYNTH_ASSISTANT', 'info', place.line);
    if (!usage) writer.loss('USAGE_UNKNOWN', 'info', place.line);
    const isOpen = !finished && !stopped && !hasCalls;
    const id = writer.message(
      {
        role: 'assistant',
        content: blocks,
        api: 'unknown',
        provider,
        model,
        usage: usage ?? UNKNOWN_USAGE,
        stopReason: stopped?.reason ?? (hasCalls ? 'toolUse' : finished ? endOf(finished) : 'stop'),
        ...(stopped ? { errorMessage: stopped.message } : {}),
        ...(finished && stringOf(finished['request_id']) !== '' ? { responseId: finished['request_id'] } : {}),
      },
      { ...place, id: messageId },
    );
    if (isOpen) writer.loss('STOP_UNKNOWN', 'info', place.line, id);
    writer.extra(id, { records: kept, ...(isOpen ? { endUnknown: true } : {}) }, place);
  }
}

/** The members of a result besides its output and those that all records have. */
function detailsOf(record: JsonObject): JsonObject {
  const known = ['schema_version', 'seq', 'time', 'type', 'turn_id', 'call_id', 'output'];
  return Object.fromEntries(Object.entries(record).filter(([key]) => !known.includes(key)));
}

function endOf(finished: JsonObject): string {
  const reason = stopReasonOf(finished);
  // It announces calls, but none followed.
  return reason === 'toolUse' ? 'stop' : reason;
}

function stopReasonOf({ finish_reason: spelled, finishReason }: JsonObject): 'stop' | 'length' | 'toolUse' | 'error' {
  const reason = stringOf(spelled) || stringOf(finishReason);
  if (/tool|function/i.test(reason)) return 'toolUse';
  if (/length|max_?tokens/i.test(reason)) return 'length';
  return /^error$|content_?filter|refus/i.test(reason) ? 'error' : 'stop';
}

export const numbered: NumberedSource = {
  idOf: ({ session_id: id }) => stringOf(id),
  begin: (writer, options, id) => new RecordConversion(writer, options, id),
};
