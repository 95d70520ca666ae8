import { numberOf } from '../../json/exact.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { objectIn, partsOf, textIn } from './messages.ts';

export const STOP_REASONS: ReadonlyMap<unknown, string> = new Map([
  ['stop', 'stop'],
  ['tool-calls', 'toolUse'],
  ['length', 'length'],
]);

/** What `opencode export --sanitize` puts in the place of a text. */
const SANITIZED = /^\[redacted:[\w-]+:[\w-]+\]$/;

export function isSanitized(message: JsonObject): boolean {
  return partsOf(message).some(({ text }) => typeof text === 'string' && text.length < 200 && SANITIZED.test(text));
}

/** OpenCode counts what the model thought apart from its output; cost is in dollars, as OpenCode has reckoned it. */
export function usageOf({ tokens, cost }: JsonObject): JsonObject {
  const counts = objectIn(tokens);
  const cache = objectIn(counts['cache']);
  const count = (from: JsonObject, key: string): number => numberOf(from[key]) ?? 0;
  const input = count(counts, 'input');
  const reasoning = count(counts, 'reasoning');
  const output = count(counts, 'output') + reasoning;
  const cacheRead = count(cache, 'read');
  const cacheWrite = count(cache, 'write');
  return {
    ...{ input, output, cacheRead, cacheWrite, ...(reasoning > 0 ? { reasoning } : {}) },
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: numberOf(cost) ?? 0 },
  };
}

/** How an answer ended that did not end well. */
export function errorOf(error: unknown): { readonly stopReason: string; readonly message: string } | undefined {
  if (!isObject(error)) return undefined;
  const { name, data } = error;
  const message = textIn(objectIn(data)['message']) || textIn(name) || 'error';
  if (name === 'MessageAbortedError') return { stopReason: 'aborted', message };
  return { stopReason: name === 'MessageOutputLengthError' ? 'length' : 'error', message };
}

/** A file as the model sees it: an image, or a text in its place where it is not in the log; undefined for others. */
export function imageOf({ mime, url }: JsonObject): JsonObject | undefined {
  if (typeof mime !== 'string' || typeof url !== 'string' || !/^(?:image\/|application\/pdf)/.test(mime))
    return undefined;
  const data = /^data:[^,]*;base64,/.exec(url);
  if (data && mime.startsWith('image/')) return { type: 'image', data: url.slice(data[0].length), mimeType: mime };
  return { type: 'text', text: `[image not embedded: ${data ? mime : url}]` };
}

/** What a tool gave; undefined as long as it runs, or waits. */
export function resultOf(
  tool: JsonObject,
  image: (part: JsonObject) => JsonObject | undefined,
): JsonObject | undefined {
  const state = objectIn(tool['state']);
  const { status, output, error, attachments, metadata, title, time } = state;
  if (status !== 'completed' && status !== 'error') return undefined;
  const text = textIn(status === 'completed' ? output : error);
  const images = Array.isArray(attachments) ? attachments.filter(isObject).flatMap((one) => image(one) ?? []) : [];
  const wasInterrupted = objectIn(metadata)['interrupted'] === true || text === 'Tool execution aborted';
  const wasPruned = objectIn(time)['compacted'] !== undefined;
  return {
    content: [{ type: 'text', text }, ...images],
    isError: status === 'error',
    details: {
      ...(wasInterrupted ? { interrupted: true } : {}),
      opencode: {
        ...(isObject(metadata) ? { metadata } : {}),
        ...(typeof title === 'string' ? { title } : {}),
        ...(wasPruned ? { prunedFromContext: true } : {}),
      },
    },
  };
}
