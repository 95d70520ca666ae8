import { exactJson, numberOf, parseExact } from '../../json/exact.ts';
import { isObject, type JsonObject, listOf } from '../../json/value.ts';
import { decodeUtf8, encodeUtf8 } from '../../lines/line.ts';
import { toJson } from '../../util/to-json.ts';
import { millisecondsOf } from '../times.ts';
import { usageOf } from '../usage.ts';

/** The provider, where a log does not name it. */
const UNKNOWN = 'unknown';

/**
 * The first design of these logs has other names: `input` for the arguments of a call, `inputTokens` and
 * `outputTokens`, and models without a provider. Gives an entry as pi and omp write it.
 */
export function fromSeed000(raw: string, value: JsonObject): string {
  if (!isSeed000(value)) return raw;
  const entry = parseExact(decodeUtf8(raw));
  if (!entry) return raw;
  const { type, model, message, timestamp } = entry;
  const changed =
    type === 'model_change'
      ? { ...entry, model: `${UNKNOWN}/${String(model)}` }
      : type === 'compaction'
        ? { ...entry, tokensBefore: 0 }
        : { ...entry, message: withNativeMembers(message as JsonObject, timestamp) };
  return encodeUtf8(exactJson(toJson(changed)));
}

function isSeed000({ type, message, model, tokensBefore, retainedTail }: JsonObject): boolean {
  if (type === 'model_change') return typeof model === 'string' && !model.includes('/');
  if (type === 'compaction') return tokensBefore === undefined && retainedTail === undefined;
  if (type !== 'message' || !isObject(message) || message['role'] !== 'assistant') return false;
  const { content, usage } = message;
  const hasInput = Array.isArray(content) && content.some((block) => isObject(block) && isInputCall(block));
  return hasInput || (isObject(usage) && usage['inputTokens'] !== undefined && usage['input'] === undefined);
}

function isInputCall({ type, input, arguments: given }: JsonObject): boolean {
  return type === 'toolCall' && given === undefined && isObject(input);
}

function withNativeMembers(message: JsonObject, timestamp: unknown): JsonObject {
  const { content, usage } = message;
  const blocks = listOf(content);
  const time = typeof timestamp === 'string' ? millisecondsOf(timestamp) : undefined;
  const changed = {
    ...message,
    ...(Array.isArray(content)
      ? { content: blocks.map((one) => (isObject(one) && isInputCall(one) ? renamed(one, 'input', 'arguments') : one)) }
      : {}),
    ...(isObject(usage) && usage['input'] === undefined ? { usage: usageOf(usage) ?? usage } : {}),
  };
  return {
    ...changed,
    ...(message['provider'] === undefined ? { provider: UNKNOWN } : {}),
    ...(message['api'] === undefined ? { api: UNKNOWN } : {}),
    ...(message['timestamp'] === undefined && time !== undefined ? { timestamp: time } : {}),
  };
}

/** The same members in the same order, one of them under another name. */
function renamed(value: JsonObject, from: string, to: string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key === from ? to : key, one]));
}

/** An entry as in the first design, without members that were added for pi and omp. */
export function toSeed000(entry: JsonObject): JsonObject {
  const { type, message, model, provider, modelId, tokensBefore, timestamp } = entry;
  if (type === 'model_change') {
    const { provider: _provider, modelId: _modelId, ...rest } = entry;
    const name = typeof model === 'string' ? model : `${String(provider)}/${String(modelId)}`;
    return { ...rest, model: name.startsWith(`${UNKNOWN}/`) ? name.slice(UNKNOWN.length + 1) : name };
  }
  if (type === 'compaction' && tokensBefore === 0) {
    const { tokensBefore: _tokens, ...rest } = entry;
    return rest;
  }
  if (type !== 'message' || !isObject(message) || message['role'] !== 'assistant') return entry;
  const { content, usage } = message;
  const changed: JsonObject = {
    ...message,
    ...(Array.isArray(content)
      ? {
          content: content.map((one: unknown) =>
            isObject(one) && one['type'] === 'toolCall' ? renamed(one, 'arguments', 'input') : one,
          ),
        }
      : {}),
    ...(isObject(usage)
      ? { usage: { inputTokens: numberOf(usage['input']) ?? 0, outputTokens: numberOf(usage['output']) ?? 0 } }
      : {}),
  };
  const added: readonly (readonly [string, unknown])[] = [
    ['provider', UNKNOWN],
    ['api', UNKNOWN],
    ['timestamp', typeof timestamp === 'string' ? millisecondsOf(timestamp) : undefined],
  ];
  const isAdded = ([key, one]: readonly [string, unknown]): boolean =>
    added.some(([name, value]) => name === key && value !== undefined && value === one);
  return { ...entry, message: Object.fromEntries(Object.entries(changed).filter((member) => !isAdded(member))) };
}
