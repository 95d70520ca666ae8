import { hash } from 'node:crypto';
import { isObject, type JsonObject } from '../json/value.ts';

/** Names of entries; two runs of one task have others for the same thing. */
const REFERENCES = new Set([
  'id',
  'parentId',
  'timestamp',
  'targetId',
  'firstKeptEntryId',
  'fromId',
  'providerReplayThroughEntryId',
]);
/** What a run leaves in a message besides what was said. */
const CIRCUMSTANCES = new Set([
  ...['timestamp', 'usage', 'api', 'provider', 'model', 'responseId', 'toolCallId', 'duration', 'ttft'],
]);
const BLOCK_CIRCUMSTANCES = new Set(['id', 'textSignature', 'thinkingSignature', 'thoughtSignature']);
const PARENT = new Set(['parentId']);

const MOST_LEVELS = 1000;

/** Equal for entries that say the same, whatever they are called and whenever and by whom it was said. */
export function contentKey(entry: JsonObject): string {
  const parts: string[] = [];
  const message = entry['message'];
  const content = isObject(message) ? message['content'] : undefined;
  spell(omit(entry, REFERENCES), parts, 0, (key, value) => {
    if (key !== 'message' || !isObject(message)) return value;
    const said = omit(message, CIRCUMSTANCES);
    if (!Array.isArray(content)) return said;
    return {
      ...said,
      content: content.map((block: unknown) => (isObject(block) ? omit(block, BLOCK_CIRCUMSTANCES) : block)),
    };
  });
  return digest(parts);
}

/** Equal for entries that are the same but for the parent that they hang from. */
export function entryKey(entry: JsonObject): string {
  const parts: string[] = [];
  spell(omit(entry, PARENT), parts, 0);
  return digest(parts);
}

/** As UTF-16, for a lone surrogate has no UTF-8. */
function digest(parts: readonly string[]): string {
  return hash('sha256', Buffer.from(parts.join(''), 'utf16le'), 'base64').slice(0, 22);
}

function omit(value: JsonObject, keys: ReadonlySet<string>): JsonObject {
  const rest: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) if (!keys.has(key)) rest[key] = value[key];
  return rest;
}

/** Values in one spelling: keys sorted, strings with their length before them so that nothing runs together. */
function spell(value: unknown, parts: string[], level: number, look?: (key: string, value: unknown) => unknown): void {
  if (typeof value === 'string') parts.push(`s${value.length}:`, value);
  else if (level > MOST_LEVELS) parts.push('deep');
  else if (Array.isArray(value)) {
    parts.push(`[${value.length}:`);
    for (const item of value) spell(item, parts, level + 1);
  } else if (isObject(value)) {
    const keys = Object.keys(value).sort();
    parts.push(`{${keys.length}:`);
    for (const key of keys) {
      parts.push(`${key.length}:`, key);
      spell(look ? look(key, value[key]) : value[key], parts, level + 1);
    }
  } else parts.push(String(value), ';');
}
