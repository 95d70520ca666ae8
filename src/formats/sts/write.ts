import { stringOf } from '../../entries/entry-type.ts';
import { exactJson, numberOf } from '../../json/exact.ts';
import type { JsonObject } from '../../json/value.ts';
import { toolCalls } from '../../transcript/turns.ts';
import { toJson } from '../../util/to-json.ts';
import type { ConversionReport, NativeSession, SessionSink } from '../format.ts';
import { argumentsOf, type Said, saidBy, textOf } from '../said.ts';
import { millisecondsOf } from '../times.ts';

const ROLES = { user: 'user', assistant: 'assistant', result: 'tool', system: 'system', summary: 'system' } as const;

/** Writes what was said, a message per line. The format has neither images, errors nor compactions. */
export async function writeTrace(session: NativeSession, sink: SessionSink): Promise<ConversionReport['roundtrip']> {
  const { header, title, agent } = session;
  const name = title === undefined ? {} : { name: title };
  await sink.line({ type: 'session', harness: agent.name, id: stringOf(header['id']), ...name });
  for await (const { value, line } of session.entries()) {
    const lost = (code: string, severity: 'info' | 'lossy'): void =>
      sink.loss(code, severity, line, stringOf(value['id']) || undefined);
    const said = saidBy(value);
    if (!said) {
      const isEdit = value['type'] === 'context_edit' || value['type'] === 'reset_boundary';
      lost(isEdit ? 'CONTEXT_EDITED' : 'ENTRY_DROPPED', isEdit ? 'lossy' : 'info');
      sink.count('dropped');
      continue;
    }
    for (const [code, severity] of lossesOf(said, value)) lost(code, severity);
    await sink.line({ type: 'message', message: messageOf(said, value) });
    sink.count('mapped');
  }
  return 'text-only';
}

function messageOf({ by, content, message }: Said, entry: JsonObject): JsonObject {
  const reasoning = textOf(content, 'thinking');
  const calls = by === 'assistant' ? toolCalls({ content }) : [];
  const time = millisecondsOf(numberOf(message['timestamp']) ?? stringOf(entry['timestamp']));
  return {
    role: ROLES[by],
    content: textOf(content.map((block) => (block['type'] === 'image' ? imageText(block) : block))),
    ...(reasoning === '' ? {} : { reasoningContent: reasoning }),
    ...(calls.length === 0 ? {} : { toolCalls: calls.map(callOf) }),
    ...(by === 'result' ? { toolCallId: stringOf(message['toolCallId']) } : {}),
    ...(time === undefined ? {} : { timestamp: time }),
    ...(by === 'assistant' && stringOf(message['model']) !== '' ? { model: message['model'] } : {}),
  };
}

function callOf(call: JsonObject): JsonObject {
  const { id, name } = call;
  return { id, function: { name, arguments: exactJson(toJson(argumentsOf(call))) } };
}

function imageText({ mimeType }: JsonObject): JsonObject {
  return { type: 'text', text: `[${stringOf(mimeType) || 'image'}]` };
}

const TEXTS: ReadonlySet<unknown> = new Set(['text', 'thinking', 'toolCall', 'image']);

/** What of an entry has no place in a trace. */
function* lossesOf({ by, content, message }: Said, { type }: JsonObject): Generator<[string, 'info' | 'lossy']> {
  if (type === 'compaction') yield ['COMPACTION_FLATTENED', 'lossy'];
  else if (by === 'summary') yield ['SUMMARY_AS_SYSTEM', 'info'];
  if (message['isError'] === true) yield ['ERROR_DROPPED', 'lossy'];
  const { stopReason } = message;
  if (stopReason === 'error' || stopReason === 'aborted') yield ['STOP_DROPPED', 'lossy'];
  for (const block of content) {
    if (block['type'] === 'image') yield ['IMAGE_DROPPED', 'lossy'];
    else if (!TEXTS.has(block['type'])) yield ['BLOCK_UNKNOWN', 'lossy'];
    if (Object.keys(block).some((key) => key.endsWith('Signature'))) yield ['SIGNATURE_DROPPED', 'info'];
  }
}
