import { hash } from 'node:crypto';
import { isObject, type JsonObject } from '../json/value.ts';
import { referenceKeys } from './types/index.ts';

/** Times, ids and references to entries, which differ between two runs of the same task. */
const DIFFERENT = ['id', 'parentId', 'timestamp', ...referenceKeys()];
/** Fields of a message that differ between runs with the same content. */
const VOLATILE = 'timestamp usage api provider model responseId toolCallId duration ttft'.split(' ');
const VOLATILE_IN_BLOCKS = ['id', 'textSignature', 'thinkingSignature', 'thoughtSignature'];

const MAX_LEVELS = 1000;

/** Equal for entries with the same content, whatever their ids, times and models. */
export function contentKey(entry: JsonObject): string {
  const message = omit(entry['message'], VOLATILE);
  const content = isObject(message) ? message['content'] : undefined;
  // A text alone says the same as a list of one.
  const list: unknown = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const blocks = Array.isArray(list) ? { content: list.map((one) => omit(one, VOLATILE_IN_BLOCKS)) } : {};
  return digest({ ...entry, ...(isObject(message) ? { message: { ...message, ...blocks } } : {}) }, DIFFERENT);
}

/** Equal for entries that are identical except for their parent. */
export function entryKey(entry: JsonObject): string {
  return digest(entry, ['parentId']);
}

/** As UTF-16, because lone surrogates have no UTF-8. */
function digest(entry: JsonObject, omitted: readonly string[]): string {
  const parts: string[] = [];
  serialize(omit(entry, omitted), parts, 0);
  return hash('sha256', Buffer.from(parts.join(''), 'utf16le'), 'base64').slice(0, 22);
}

function omit(value: unknown, keys: readonly string[]): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** A canonical form: sorted keys, and strings prefixed with their length. */
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
