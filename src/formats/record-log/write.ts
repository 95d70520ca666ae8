import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { isStopped, namedArguments, toolCalls } from '../../transcript/turns.ts';
import type { ConversionReport, NativeSession, SessionEntry, SessionSink } from '../format.ts';
import { reportLoss } from '../losses.ts';
import { isSigned, type ModelMessage, modelMessageOf, textOf } from '../model-message.ts';
import {
  conversationMessage,
  type MakeRecord,
  type NumberedTarget,
  NumberedWriter,
  resultStatus,
} from '../numbered-writer.ts';
import type { EntryPart } from '../restored.ts';
import { usageIn } from '../usage.ts';

const ENTRY_PARTS: ReadonlyMap<string, EntryPart> = new Map(
  Object.entries({
    user: 'text',
    assistant_finished: 'text',
    reasoning_finished: 'thinking',
    tool_started: 'call',
    tool_finished: 'text',
  } as const),
);

/** Writes a session as a record log, which has one conversation, and neither images, summaries nor signatures. */
export async function writeRecordLog(
  session: NativeSession,
  sink: SessionSink,
): Promise<ConversionReport['roundtrip']> {
  const format = new RecordFormat(session, sink, await firstModel(session));
  return await new NumberedWriter(format, sink).write(session);
}

interface Model {
  readonly model: string;
  readonly provider: string;
}

/** The model of the first answer. */
async function firstModel(session: NativeSession): Promise<Model | undefined> {
  for await (const { value } of session.entries()) {
    const sent = modelMessageOf(value);
    if (sent?.kind === 'assistant') return modelOf(sent.message);
  }
  return undefined;
}

function modelOf({ model, provider }: JsonObject): Model {
  return { model: stringOf(model), provider: stringOf(provider) };
}

class RecordFormat implements NumberedTarget {
  readonly id = 'record-log';
  readonly first = 0;
  sessionId: string;
  readonly #session: NativeSession;
  readonly #sink: SessionSink;
  #model: Model | undefined;
  #turn: string | undefined;
  /** Open calls and their lines; undefined for one whose start is recorded. */
  readonly #open = new Map<string, number | undefined>();

  constructor(session: NativeSession, sink: SessionSink, model: Model | undefined) {
    this.#session = session;
    this.sessionId = stringOf(session.header['id']);
    this.#sink = sink;
    this.#model = model;
  }

  entryPartOf({ type }: JsonObject): EntryPart | undefined {
    return ENTRY_PARTS.get(stringOf(type));
  }

  *start(): Generator<MakeRecord> {
    const { header, title } = this.#session;
    const { model, provider } = this.#model ?? {};
    const time = stringOf(header['timestamp']);
    yield record(time, 'session_meta', {
      session_id: this.sessionId,
      cwd: stringOf(header['cwd']),
      ...(title === undefined ? {} : { title }),
      ...(model ? { model } : {}),
      ...(provider ? { provider } : {}),
    });
  }

  make(entry: SessionEntry): Iterable<MakeRecord> | undefined {
    const { value, line } = entry;
    const { customType, data } = value;
    if (customType === 'tool_execution_start' && isObject(data)) {
      const id = stringOf(data['toolCallId']);
      if (this.#open.has(id)) this.#open.set(id, undefined);
      return [];
    }
    const message = conversationMessage(entry, this.#sink);
    if (!message) return undefined;
    for (const block of message.content) {
      if (block['type'] === 'image') reportLoss(this.#sink, 'IMAGE_DROPPED', 'lossy', entry);
      if (isSigned(block)) reportLoss(this.#sink, 'SIGNATURE_DROPPED', 'info', entry);
    }
    if (message.kind === 'user') return this.#user(message, value);
    return message.kind === 'result' ? this.#result(message, value) : this.#answer(message, value, line);
  }

  end(): void {
    for (const [id, line] of this.#open)
      if (line !== undefined) this.#sink.loss('START_UNPROVEN', 'ambiguous', line, id);
  }

  get #turnId(): JsonObject {
    return this.#turn === undefined ? {} : { turn_id: this.#turn };
  }

  *#user({ content }: ModelMessage, { id, timestamp }: JsonObject): Generator<MakeRecord> {
    this.#turn = stringOf(id);
    yield record(stringOf(timestamp), 'user', { ...this.#turnId, text: textOf(content) });
  }

  *#answer({ content, message }: ModelMessage, { id, timestamp }: JsonObject, line: number): Generator<MakeRecord> {
    const time = stringOf(timestamp);
    const { stopReason, errorMessage, responseId } = message;
    const turn = this.#turnId;
    const text = textOf(content);
    for (const block of content)
      if (block['type'] === 'thinking' && stringOf(block['thinking']) !== '')
        yield record(time, 'reasoning_finished', { ...turn, text: stringOf(block['thinking']) });
    if (!isStopped(message) || text !== '')
      yield record(time, 'assistant_finished', {
        ...turn,
        message_id: stringOf(id),
        text,
        ...this.#newModel(message),
        usage: usageIn(message),
        finish_reason: stopReason === 'toolUse' ? 'tool_calls' : stringOf(stopReason),
        ...(typeof responseId === 'string' ? { request_id: responseId } : {}),
      });
    for (const call of toolCalls({ content })) {
      this.#open.set(stringOf(call['id']), line);
      const started = { call_id: stringOf(call['id']), name: stringOf(call['name']), input: namedArguments(call) };
      yield record(time, 'tool_started', { ...turn, ...started });
    }
    if (!isStopped(message)) return;
    const ended = stopReason === 'error' ? 'failed' : 'cancelled';
    yield record(time, ended, { ...turn, reason: stopReason, message: stringOf(errorMessage) });
  }

  /** The model of an answer, where it has changed. */
  #newModel(message: JsonObject): JsonObject {
    const model = modelOf(message);
    const isSame = model.model === this.#model?.model && model.provider === this.#model.provider;
    this.#model = model;
    return isSame ? {} : { ...model };
  }

  *#result({ content, message }: ModelMessage, { timestamp }: JsonObject): Generator<MakeRecord> {
    const id = stringOf(message['toolCallId']);
    this.#open.delete(id);
    yield record(stringOf(timestamp), 'tool_finished', {
      ...this.#turnId,
      call_id: id,
      status: resultStatus(message),
      output: textOf(content),
    });
  }
}

function record(time: string, type: string, members: JsonObject): MakeRecord {
  return (seq) => ({ schema_version: 1, seq, time, type, ...members });
}
