import { isObject, type JsonObject } from '../../json/value.ts';
import type { RecordFacts } from '../format.ts';
import { hasKnownShape } from './schema.ts';

/**
 * What a record is. A prompt was typed by a person; of what else stands under the user's name, results answer calls,
 * a command is what a local command left, and meta is text of the agent itself.
 */
export type Kind =
  | 'prompt'
  | 'results'
  | 'command'
  | 'interrupt'
  | 'meta'
  | 'summary'
  | 'answer'
  | 'error'
  | 'boundary'
  | 'attachment'
  | 'side'
  | 'title'
  | 'other';

/** What local commands, shells and background tasks put around their text. */
const WRAPPER =
  /^\s*<(?:command-(?:name|message|args|contents)|local-command-[a-z]+|bash-(?:input|stdout|stderr)|user-memory-input|task-notification|agent-notification|teammate-message|system-reminder|tick)>/;
const INTERRUPT = /^\[Request interrupted by user(?: for tool use)?\]$/;

const NOTHING: readonly never[] = [];

/** The facts of one record that trees and rules need. */
export function describeRecord(record: JsonObject): RecordFacts & { readonly kind: Kind } {
  const kind = kindOf(record);
  const isSpoken = kind !== 'other' && isObject(record['message']);
  const content = isSpoken ? (record['message'] as JsonObject)['content'] : undefined;
  const blocks: readonly JsonObject[] = Array.isArray(content) ? content : NOTHING;
  return {
    id: stringOf(record['uuid']),
    parentId: record['parentUuid'] === null ? null : stringOf(record['parentUuid']),
    kind,
    role: isSpoken ? (record['type'] as string) : undefined,
    calls: kind === 'answer' ? blocks.flatMap(callOf) : NOTHING,
    results: kind === 'results' ? blocks.flatMap(answeredCall) : NOTHING,
    timestamp: stringOf(record['timestamp']),
  };
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function callOf({ type, id }: JsonObject): string[] {
  return type === 'tool_use' && typeof id === 'string' ? [id] : [];
}

function answeredCall({ type, tool_use_id: id }: JsonObject): string[] {
  return type === 'tool_result' && typeof id === 'string' ? [id] : [];
}

function kindOf(record: JsonObject): Kind {
  if (hasKnownShape(record) !== true) return 'other';
  switch (record['type']) {
    case 'user':
      return userKind(record);
    case 'assistant':
      return record['isApiErrorMessage'] === true ? 'error' : 'answer';
    case 'system':
      return record['subtype'] === 'compact_boundary' ? 'boundary' : 'side';
    case 'attachment':
      return 'attachment';
    case 'progress':
      return 'side';
    case 'last-prompt':
      return 'other';
    default:
      return 'title';
  }
}

function userKind(record: JsonObject): Kind {
  const { content } = record['message'] as { content: string | readonly JsonObject[] };
  if (typeof content !== 'string' && content.some(({ type }) => type === 'tool_result')) return 'results';
  if (record['isCompactSummary'] === true) return 'summary';
  if (record['isVisibleInTranscriptOnly'] === true) return 'side';
  const { origin } = record;
  const only = typeof content === 'string' ? content : content.length === 1 ? content[0]?.['text'] : undefined;
  if (typeof only === 'string' && INTERRUPT.test(only)) return 'interrupt';
  if (record['isMeta'] === true) return 'meta';
  const first = typeof content === 'string' ? content : content.find(({ type }) => type === 'text')?.['text'];
  if (typeof first === 'string' && WRAPPER.test(first)) return 'command';
  return isObject(origin) && typeof origin['kind'] === 'string' && origin['kind'] !== 'human' ? 'command' : 'prompt';
}

export function isInterrupt(text: unknown): boolean {
  return typeof text === 'string' && INTERRUPT.test(text);
}
