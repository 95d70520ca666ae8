import { stringOf } from '../../entries/entry-type.ts';
import { numberOf } from '../../json/exact.ts';
import { isObject, type JsonObject, objectOf, objectsIn } from '../../json/value.ts';
import { countIn, nativeUsage } from '../usage.ts';

export const STOP_REASONS: ReadonlyMap<unknown, string> = new Map([
  ['stop', 'stop'],
  ['tool-calls', 'toolUse'],
  ['length', 'length'],
]);

/** The placeholder of `opencode export --sanitize`. */
const SANITIZED = /^\[redacted:[\w-]+:[\w-]+\]$/;

export function isSanitized(message: JsonObject): boolean {
  return objectsIn(message['parts']).some(
    ({ text }) => typeof text === 'string' && text.length < 200 && SANITIZED.test(text),
  );
}

/** OpenCode counts reasoning separately from the output, and computes the cost in dollars. */
export function usageOf({ tokens, cost }: JsonObject): JsonObject {
  const { cache } = objectOf(tokens);
  const reasoning = countIn(tokens, 'reasoning');
  const output = countIn(tokens, 'output') + reasoning;
  const [cacheRead, cacheWrite] = [countIn(cache, 'read'), countIn(cache, 'write')];
  const input = countIn(tokens, 'input');
  return nativeUsage({ input, output, cacheRead, cacheWrite, reasoning }, numberOf(cost));
}

/** The stop reason and the message of an answer that failed. */
export function errorOf(error: unknown): { readonly stopReason: string; readonly message: string } | undefined {
  if (!isObject(error)) return undefined;
  const { name, data } = error;
  const message = stringOf(objectOf(data)['message']) || stringOf(name) || 'error';
  if (name === 'MessageAbortedError') return { stopReason: 'aborted', message };
  return { stopReason: name === 'MessageOutputLengthError' ? 'length' : 'error', message };
}

/** A file that the model sees: an image, or a text where it is not in the log; undefined for other files. */
export function imageOf({ mime, url }: JsonObject): JsonObject | undefined {
  if (typeof mime !== 'string' || typeof url !== 'string' || !/^(?:image\/|application\/pdf)/.test(mime))
    return undefined;
  const data = /^data:[^,]*;base64,/.exec(url);
  if (data && mime.startsWith('image/')) return { type: 'image', data: url.slice(data[0].length), mimeType: mime };
  return { type: 'text', text: `[image not embedded: ${data ? mime : url}]` };
}

/** The result of a tool; undefined as long as it has none. */
export function resultOf(
  tool: JsonObject,
  image: (part: JsonObject) => JsonObject | undefined,
): JsonObject | undefined {
  const state = objectOf(tool['state']);
  const { status, output, error, attachments, metadata, title, time } = state;
  if (status !== 'completed' && status !== 'error') return undefined;
  const { interrupted, output: partial } = objectOf(metadata);
  // Of a call that was interrupted, OpenCode sends what it had printed so far.
  const said = interrupted === true && typeof partial === 'string' ? partial : error;
  const text = stringOf(status === 'completed' ? output : said);
  const images = objectsIn(attachments).flatMap((one) => image(one) ?? []);
  const wasInterrupted = interrupted === true || error === 'Tool execution aborted';
  const wasPruned = objectOf(time)['compacted'] !== undefined;
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
