import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject, objectOf } from '../../json/value.ts';
import { isStopped, namedArguments, toolCalls } from '../../transcript/turns.ts';
import type { ConversionReport, NativeSession, SessionEntry, SessionSink } from '../format.ts';
import { reportLoss } from '../losses.ts';
import { type ModelMessage, textOf } from '../model-message.ts';
import {
  conversationMessage,
  type MakeRecord,
  type NumberedTarget,
  NumberedWriter,
  resultStatus,
} from '../numbered-writer.ts';
import type { EntryPart } from '../restored.ts';
import { usageIn } from '../usage.ts';
import { artifactRefs } from './artifacts.ts';
import { canonicalType, memberOf } from './event.ts';

const ENTRY_PARTS: ReadonlyMap<string, EntryPart> = new Map(
  Object.entries({
    'user.message': 'text',
    'model.responded': 'text',
    'tool.intent.created': 'call',
    'observation.projected': 'text',
    'context.compaction.finished': 'summary',
  } as const),
);

/**
 * Writes a session as an event log. A decision on a call, its start or its end becomes an event only where an entry
 * records it.
 */
export async function writeEventLog(session: NativeSession, sink: SessionSink): Promise<ConversionReport['roundtrip']> {
  return await new NumberedWriter(new EventFormat(session, sink), sink).write(session);
}

interface WrittenCall {
  readonly intent: string;
  readonly name: string;
  started?: boolean;
  decided?: boolean;
}

class EventFormat implements NumberedTarget {
  readonly id = 'event-log';
  readonly first = 1;
  readonly #session: NativeSession;
  readonly #sink: SessionSink;
  sessionId: string;
  readonly #calls = new Map<string, WrittenCall>();
  /** By the id of an entry: how many messages of the user and the model came before it. */
  readonly #places = new Map<string, number>();
  readonly #messages: string[] = [];
  readonly #line = new Map<WrittenCall, number>();

  constructor(session: NativeSession, sink: SessionSink) {
    this.#session = session;
    this.#sink = sink;
    this.sessionId = stringOf(session.header['id']);
  }

  entryPartOf({ type }: JsonObject): EntryPart | undefined {
    return ENTRY_PARTS.get(canonicalType(type));
  }

  *start(): Generator<MakeRecord> {
    const { header, title } = this.#session;
    const { cwd, timestamp } = header;
    const name = title === undefined ? {} : { title };
    yield this.#event(`${this.sessionId}/start`, timestamp, 'session.started', { cwd: stringOf(cwd), ...name });
  }

  end(): void {
    // Most sessions record neither the decision on a call nor its start.
    for (const [call, line] of this.#line)
      if (!call.started || !call.decided) this.#sink.loss('EVENTS_UNRECORDED', 'info', line, call.intent);
  }

  make(entry: SessionEntry): Iterable<MakeRecord> | undefined {
    const { value, line } = entry;
    this.#places.set(stringOf(value['id']), this.#messages.length);
    if (value['type'] === 'compaction') return this.#compaction(value);
    const evidence = value['type'] === 'custom' ? this.#custom(value) : undefined;
    if (evidence) return evidence;
    const message = conversationMessage(entry, this.#sink);
    if (!message) return undefined;
    for (const { type } of message.content) {
      if (type === 'image') reportLoss(this.#sink, 'IMAGE_DROPPED', 'lossy', entry);
      if (type === 'thinking' || type === 'redactedThinking') reportLoss(this.#sink, 'THINKING_DROPPED', 'info', entry);
    }
    if (message.kind === 'result') return this.#result(message, value);
    this.#messages.push(stringOf(value['id']));
    return message.kind === 'user' ? this.#user(message, value) : this.#answer(message, value, line);
  }

  /** Artifacts are not copied. The model saw one of them where no event has the text. */
  restored(events: readonly JsonObject[], { value, line }: SessionEntry): void {
    const hasText = events.some((event) =>
      ['text', 'summary'].some((member) => typeof memberOf(event, member) === 'string'),
    );
    const isSeen = value['type'] !== 'custom' && !hasText;
    for (const event of events)
      for (const { path } of artifactRefs(event)) {
        const severity = isSeen && !path.includes('artifactRefs') ? 'lossy' : 'info';
        this.#sink.loss('ARTIFACT_NOT_COPIED', severity, line, stringOf(event['id']));
      }
  }

  #event(id: string, ts: unknown, type: string, members: JsonObject): MakeRecord {
    return (seq) => ({ id, sessionId: this.sessionId, seq, ts: stringOf(ts), type, ...members });
  }

  *#user({ content }: ModelMessage, { id, timestamp }: JsonObject): Generator<MakeRecord> {
    yield this.#event(stringOf(id), timestamp, 'user.message', { text: textOf(content) });
  }

  *#answer({ content, message }: ModelMessage, { id, timestamp }: JsonObject, line: number): Generator<MakeRecord> {
    const { model, provider, stopReason, errorMessage, responseId } = message;
    const own = stringOf(id);
    yield this.#event(own, timestamp, 'model.responded', {
      text: textOf(content),
      ...(typeof model === 'string' ? { model } : {}),
      ...(typeof provider === 'string' ? { provider } : {}),
      ...(typeof responseId === 'string' ? { requestId: responseId } : {}),
      usage: usageIn(message),
      ...(isStopped(message) ? { status: stopReason, error: stringOf(errorMessage) } : {}),
    });
    let at = 0;
    for (const call of toolCalls({ content })) {
      const [toolCallId, toolName] = [stringOf(call['id']), stringOf(call['name'])];
      const known: WrittenCall = { intent: `${own}/${++at}`, name: toolName };
      this.#calls.set(toolCallId, known);
      this.#line.set(known, line);
      yield this.#event(known.intent, timestamp, 'tool.intent.created', {
        causationId: own,
        correlationId: toolCallId,
        ...{ toolCallId, toolName, arguments: namedArguments(call) },
      });
    }
  }

  /** The end of a tool is written only if its start is known. */
  *#result({ content, message }: ModelMessage, { id, timestamp }: JsonObject): Generator<MakeRecord> {
    const { toolCallId: callId, toolName, isError } = message;
    const toolCallId = stringOf(callId);
    const call = this.#calls.get(toolCallId);
    const cause = call ? { causationId: call.intent, correlationId: toolCallId } : {};
    const details = objectOf(message['details']);
    const own = stringOf(id);
    const denied = stringOf(details['toolDenialKind']);
    if (denied !== '') {
      if (call) call.decided = true;
      yield this.#event(`${own}/denied`, timestamp, 'intent.rejected', { ...cause, toolCallId, reason: denied });
    } else if (call?.started) {
      const { artifactRefs: files = [], sideEffect, exitCode } = details;
      yield this.#event(`${own}/end`, timestamp, 'tool.finished', {
        ...cause,
        ...{ toolCallId, toolName: stringOf(toolName) },
        status: resultStatus(message),
        ...(exitCode === undefined ? {} : { exitCode }),
        artifactRefs: files,
        ...(sideEffect === undefined ? {} : { sideEffect }),
      });
    }
    const error = isError === true ? { isError } : {};
    yield this.#event(own, timestamp, 'observation.projected', {
      ...cause,
      toolCallId,
      text: textOf(content),
      ...error,
    });
  }

  #custom({ id, timestamp, customType, data }: JsonObject): Iterable<MakeRecord> | undefined {
    if (!isObject(data)) return undefined;
    const toolCallId = stringOf(data['toolCallId']);
    const call = this.#calls.get(toolCallId);
    if (customType === 'tool_execution_start' && call && !call.started) {
      call.started = true;
      const cause = { causationId: call.intent, correlationId: toolCallId };
      return [this.#event(stringOf(id), timestamp, 'tool.started', { ...cause, toolCallId, toolName: call.name })];
    }
    if (customType !== 'session_exit') return undefined;
    const type = data['kind'] === 'normal' ? 'session.completed' : 'session.failed';
    return [this.#event(stringOf(id), timestamp, type, { reason: stringOf(data['reason']) })];
  }

  #compaction({ id, timestamp, summary, firstKeptEntryId: kept }: JsonObject): Iterable<MakeRecord> {
    const place = kept === id ? undefined : this.#places.get(stringOf(kept));
    const last = place === undefined ? undefined : this.#messages[place - 1];
    const range = last === undefined ? {} : { replacedRange: { to: last } };
    const members = { summary: stringOf(summary), ...range };
    return [this.#event(stringOf(id), timestamp, 'context.compaction.finished', members)];
  }
}
