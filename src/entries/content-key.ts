import { hash } from 'node:crypto';
import { isObject, type JsonObject } from '../json/value.ts';

/** Names of entries; two runs of one task have others for the same thing. */
const REFERENCES = 'id parentId timestamp targetId firstKeptEntryId fromId providerReplayThroughEntryId'.split(' ');
/** What a run leaves in a message besides what was said. */
const VOLATILE = 'timestamp usage api provider model responseId toolCallId duration ttft'.split(' ');
const VOLATILE_IN_BLOCKS = ['id', 'textSignature', 'thinkingSignature', 'thoughtSignature'];

const MAX_LEVELS = 1000;

/** Equal for entries that say the same, whatever they are called and whenever and by whom it was said. */
export function contentKey(entry: JsonObject): string {
  const message = omit(entry['message'], VOLATILE);
  const content = isObject(message) ? message['content'] : undefined;
  const blocks = Array.isArray(content) ? { content: content.map((one) => omit(one, VOLATILE_IN_BLOCKS)) } : {};
  return digest({ ...entry, ...(isObject(message) ? { message: { ...message, ...blocks } } : {}) }, REFERENCES);
}

/** Equal for entries that are the same but for the parent that they hang from. */
export function entryKey(entry: JsonObject): string {
  return digest(entry, ['parentId']);
}

/** As UTF-16, for a lone surrogate has no UTF-8. */
function digest(entry: JsonObject, omitted: readonly string[]): string {
  const parts: string[] = [];
  serialize(omit(entry, omitted), parts, 0);
  return hash('sha256', Buffer.from(parts.join(''), 'utf16le'), 'base64').slice(0, 22);
}

function omit(value: unknown, keys: readonly string[]): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** Values in one spelling: keys sorted, strings with their length before them so that nothing runs together. */
function serialize(value: unknown, parts: string[], level: number): void {
  if (typeof value === 'string') parts.push(`s${value.length}:`, value);
  else if (level > MAX_LEVELS) parts.push('deep');
  else if (Array.isArray(value)) {
    parts.push(`[${value.length}:`);
    for (const item of value) serialize(item, parts, level + 1);
  } else if (isObject(value)) {
    const keys = Object.keys(value).sort();
    parts.push(`{${keys.length}:`);
    for (const key of keys) {
      parts.push(`${key.length}:`, key);
      serialize(value[key], parts, level + 1);
    }
  } else parts.push(String(value), ';');
}
