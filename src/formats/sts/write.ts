import { stringOf } from '../../entries/entry-type.ts';
import { exactJson, numberOf } from '../../json/exact.ts';
import type { JsonObject } from '../../json/value.ts';
import { isStopped, namedArguments, toolCalls } from '../../transcript/turns.ts';
import { toJson } from '../../util/to-json.ts';
import type { ConversionReport, NativeSession, SessionSink } from '../format.ts';
import { reportDropped, reportLoss } from '../losses.ts';
import { isSigned, type ModelMessage, modelMessageOf, textOf } from '../model-message.ts';
import { millisecondsOf } from '../times.ts';

const ROLES = { user: 'user', assistant: 'assistant', result: 'tool', system: 'system', summary: 'system' } as const;

/** Writes the conversation, a message per line. The format has neither images, errors nor compactions. */
export async function writeTrace(session: NativeSession, sink: SessionSink): Promise<ConversionReport['roundtrip']> {
  const { header, title, agent } = session;
  const name = title === undefined ? {} : { name: title };
  await sink.line({ type: 'session', harness: agent.name, id: stringOf(header['id']), ...name });
  for await (const entry of session.entries()) {
    const { value } = entry;
    const sent = modelMessageOf(value);
    if (!sent) {
      reportDropped(sink, entry);
      continue;
    }
    for (const [code, severity] of lossesOf(sent, value)) reportLoss(sink, code, severity, entry);
    await sink.line({ type: 'message', message: messageOf(sent, value) });
    sink.count('mapped');
  }
  return 'text-only';
}

function messageOf({ kind, content, message }: ModelMessage, entry: JsonObject): JsonObject {
  const reasoning = textOf(content, 'thinking');
  const calls = kind === 'assistant' ? toolCalls({ content }) : [];
  const time = millisecondsOf(numberOf(message['timestamp']) ?? stringOf(entry['timestamp']));
  return {
    role: ROLES[kind],
    content: textOf(content.map((block) => (block['type'] === 'image' ? imageText(block) : block))),
    ...(reasoning === '' ? {} : { reasoningContent: reasoning }),
    ...(calls.length === 0 ? {} : { toolCalls: calls.map(callOf) }),
    ...(kind === 'result' ? { toolCallId: stringOf(message['toolCallId']) } : {}),
    ...(time === undefined ? {} : { timestamp: time }),
    ...(kind === 'assistant' && stringOf(message['model']) !== '' ? { model: message['model'] } : {}),
  };
}

function callOf(call: JsonObject): JsonObject {
  const { id, name } = call;
  return { id, function: { name, arguments: exactJson(toJson(namedArguments(call))) } };
}

function imageText({ mimeType }: JsonObject): JsonObject {
  return { type: 'text', text: `[${stringOf(mimeType) || 'image'}]` };
}

const KNOWN_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'toolCall', 'image']);

/** What of an entry has no place in a trace. */
function* lossesOf(
  { kind, content, message }: ModelMessage,
  { type }: JsonObject,
): Generator<[string, 'info' | 'lossy']> {
  if (type === 'compaction') yield ['COMPACTION_FLATTENED', 'lossy'];
  else if (kind === 'summary') yield ['SUMMARY_AS_SYSTEM', 'info'];
  if (message['isError'] === true) yield ['ERROR_DROPPED', 'lossy'];
  if (isStopped(message)) yield ['STOP_DROPPED', 'lossy'];
  for (const block of content) {
    if (block['type'] === 'image') yield ['IMAGE_DROPPED', 'lossy'];
    else if (!KNOWN_BLOCKS.has(block['type'])) yield ['BLOCK_UNKNOWN', 'lossy'];
    if (isSigned(block)) yield ['SIGNATURE_DROPPED', 'info'];
  }
}
