import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject, objectOf, objectsIn } from '../../json/value.ts';
import { plainText } from '../model-message.ts';
import type { NativeWriter } from '../native-writer.ts';

/** The text of a message that has nothing else. */
export function textAlone(message: JsonObject): string | undefined {
  const blocks = objectsIn(message['content']);
  if (blocks.length === 0 || blocks.some(({ type }) => type !== 'text')) return undefined;
  return plainText(blocks);
}

/** Who sees a message: both, unless it says otherwise. */
export function visibilityOf({ metadata }: JsonObject) {
  const { userVisible, agentVisible } = objectOf(metadata);
  return { toUser: userVisible !== false, toAgent: agentVisible !== false };
}

/** The value of a call or a result, or its error. */
export function outcomeOf(value: unknown): { readonly value?: unknown; readonly error?: string } {
  if (!isObject(value)) return { error: 'it has no value' };
  if (value['status'] === 'error') return { error: stringOf(value['error']) };
  return { value: value['value'] };
}

const CALLS: ReadonlySet<unknown> = new Set(['toolRequest', 'frontendToolRequest']);

export function isCall({ type }: JsonObject): boolean {
  return CALLS.has(type);
}

/** A block of an answer; undefined for one that is not from the model, such as a request to confirm a call. */
export function answerBlock(block: JsonObject, writer: NativeWriter, line: number): JsonObject | undefined {
  const { type, text, thinking, signature, data } = block;
  if (type === 'text') return { type, text: stringOf(text) };
  if (type === 'image') return imageOf(block, writer, line);
  if (type === 'reasoning') return { type: 'thinking', thinking: stringOf(text) };
  if (type === 'thinking')
    return {
      ...{ type, thinking: stringOf(thinking) },
      ...(stringOf(signature) === '' ? {} : { thinkingSignature: signature }),
    };
  if (type === 'redactedThinking')
    return writer.dialect === 'omp'
      ? { type, data: stringOf(data) }
      : { type: 'thinking', thinking: '', thinkingSignature: stringOf(data), redacted: true };
  return isCall(block) ? callOf(block, writer, line) : undefined;
}

function callOf({ id, toolCall, thoughtSignature }: JsonObject, writer: NativeWriter, line: number): JsonObject {
  const { value, error } = outcomeOf(toolCall);
  if (!isObject(value) || stringOf(value['name']) === '' || stringOf(id) === '') {
    writer.loss('BAD_CALL', 'lossy', line, stringOf(id) || undefined);
    return { type: 'text', text: `[invalid tool call: ${error ?? 'it has no name or no id'}]` };
  }
  const { name, arguments: given } = value;
  const args = isObject(given) ? given : given == null ? {} : { arguments: given };
  return { type: 'toolCall', id, name, arguments: args, ...(stringOf(thoughtSignature) ? { thoughtSignature } : {}) };
}

/** A block of a prompt or a result; undefined for one of another type. */
export function contentBlock(block: JsonObject, writer: NativeWriter, line: number): JsonObject | undefined {
  const { type, text, resource, uri } = block;
  if (type === 'text') return { type, text: stringOf(text) };
  if (type === 'image') return imageOf(block, writer, line);
  if (type === 'resource' && isObject(resource) && typeof resource['text'] === 'string')
    return { type: 'text', text: resource['text'] };
  if (type !== 'resource' && type !== 'resource_link' && type !== 'audio') return undefined;
  writer.loss('BLOCK_AS_TEXT', 'lossy', line);
  const name = stringOf(isObject(resource) ? resource['uri'] : uri);
  return { type: 'text', text: `[${type} not embedded${name === '' ? '' : `: ${name}`}]` };
}

function imageOf({ data, mimeType }: JsonObject, writer: NativeWriter, line: number): JsonObject {
  if (typeof data === 'string' && data !== '')
    return { type: 'image', data, mimeType: stringOf(mimeType) || 'image/png' };
  writer.loss('IMAGE_REF', 'lossy', line);
  return { type: 'text', text: '[image not embedded: unknown]' };
}

/** Goose's text for a call that the user has stopped. */
const INTERRUPTED = /^Interrupted by the user to make a correction/;

/** A result: what the model sees, what only the user saw, and the rest. */
export function resultOf({ toolResult }: JsonObject, writer: NativeWriter, line: number) {
  const { value, error } = outcomeOf(toolResult);
  // Older versions have the content alone.
  const { content, isError, structuredContent, _meta } = isObject(value) ? value : { content: value };
  const blocks = error === undefined ? objectsIn(content) : [];
  const isForModel = ({ annotations }: JsonObject): boolean => {
    const { audience } = objectOf(annotations);
    return !Array.isArray(audience) || audience.includes('assistant');
  };
  const visible = blocks
    .filter(isForModel)
    .map((block) => contentBlock(block, writer, line) ?? unknown(block, writer, line));
  const all = error === undefined ? visible : [{ type: 'text', text: error }];
  const isInterrupted = all.some(({ text }) => INTERRUPTED.test(stringOf(text)));
  return {
    content: all,
    isError: error !== undefined || isError === true,
    forUser: blocks.filter((block) => !isForModel(block)),
    details: {
      ...(isInterrupted ? { interrupted: true } : {}),
      ...(structuredContent === undefined ? {} : { structuredContent }),
      ...(_meta === undefined ? {} : { _meta }),
    },
  };
}

function unknown({ type }: JsonObject, writer: NativeWriter, line: number): JsonObject {
  writer.loss('BLOCK_AS_TEXT', 'lossy', line);
  return { type: 'text', text: `[${stringOf(type) || 'block'} that cannot be shown]` };
}
