import { createHash, type Hash } from 'node:crypto';
import { isObject, type JsonObject } from './json-value.ts';

/** Names of entries; two runs of one task have others for the same thing. */
const REFERENCES = ['id', 'parentId', 'timestamp', 'targetId', 'firstKeptEntryId', 'fromId', 'providerReplayThroughEntryId'];
/** What a run leaves in a message besides what was said. */
const CIRCUMSTANCES = [...['timestamp', 'usage', 'api', 'provider', 'model', 'responseId', 'toolCallId', 'duration', 'ttft']];
const BLOCK_CIRCUMSTANCES = ['id', 'textSignature', 'thinkingSignature', 'thoughtSignature'];

const MOST_LEVELS = 1000;

/** Equal for entries that say the same, whatever they are called and whenever and by whom it was said. */
export function contentKey(entry: JsonObject): string {
  const hash = createHash('sha256');
  feed(hash, omit(entry, REFERENCES), 0, (key, value) => {
    if (key !== 'message' || !isObject(value)) return value;
    const message = omit(value, CIRCUMSTANCES);
    const content = message['content'];
    if (!Array.isArray(content)) return message;
    return { ...message, content: content.map((block: unknown) => (isObject(block) ? omit(block, BLOCK_CIRCUMSTANCES) : block)) };
  });
  return hash.digest('base64').slice(0, 22);
}

/** Equal for entries that are the same but for the parent that they hang from. */
export function entryKey(entry: JsonObject): string {
  const hash = createHash('sha256');
  feed(hash, omit(entry, ['parentId']), 0);
  return hash.digest('base64').slice(0, 22);
}

function omit(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** Values in one spelling: keys sorted, strings with their length before them so that nothing runs together. */
function feed(hash: Hash, value: unknown, level: number, look?: (key: string, value: unknown) => unknown): void {
  if (typeof value === 'string') hash.update(`s${value.length}:`).update(value, 'utf16le');
  else if (level > MOST_LEVELS) hash.update('deep');
  else if (Array.isArray(value)) {
    hash.update(`[${value.length}:`);
    for (const item of value) feed(hash, item, level + 1);
  } else if (isObject(value)) {
    const keys = Object.keys(value).sort();
    hash.update(`{${keys.length}:`);
    for (const key of keys) {
      feed(hash, key, level + 1);
      feed(hash, look ? look(key, value[key]) : value[key], level + 1);
    }
  } else hash.update(`${String(value)};`);
}
