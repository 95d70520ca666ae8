import { isObject, type JsonObject } from '../../json/value.ts';
import type { NativeWriter } from '../native-writer.ts';

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The blocks of a message. */
export function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** The text of a message that has nothing else. */
export function textAlone(message: JsonObject): string | undefined {
  const blocks = blocksOf(message);
  if (blocks.length === 0 || blocks.some(({ type }) => type !== 'text')) return undefined;
  return blocks.map(({ text }) => textOf(text)).join('\n');
}

export interface Visibility {
  readonly toUser: boolean;
  readonly toAgent: boolean;
}

/** Who sees a message: both, unless it says otherwise. */
export function visibilityOf({ metadata }: JsonObject): Visibility {
  const { userVisible, agentVisible } = isObject(metadata) ? metadata : {};
  return { toUser: userVisible !== false, toAgent: agentVisible !== false };
}

/** A call, a result or a request that went wrong has an error in the place of its value. */
export function outcomeOf(value: unknown): { readonly value?: unknown; readonly error?: string } {
  if (!isObject(value)) return { error: 'it has no value' };
  if (value['status'] === 'error') return { error: textOf(value['error']) };
  return { value: value['value'] };
}

const CALLS: ReadonlySet<unknown> = new Set(['toolRequest', 'frontendToolRequest']);

export function isCall({ type }: JsonObject): boolean {
  return CALLS.has(type);
}

/** What the model said, block by block; undefined for a block that is not for it, such as a request to confirm a call. */
export function spokenBlock(block: JsonObject, writer: NativeWriter, line: number): JsonObject | undefined {
  const { type, text, thinking, signature, data } = block;
  if (type === 'text') return { type, text: textOf(text) };
  if (type === 'image') return imageOf(block, writer, line);
  if (type === 'reasoning') return { type: 'thinking', thinking: textOf(text) };
  if (type === 'thinking')
    return {
      ...{ type, thinking: textOf(thinking) },
      ...(textOf(signature) === '' ? {} : { thinkingSignature: signature }),
    };
  if (type === 'redactedThinking')
    return writer.dialect === 'omp'
      ? { type, data: textOf(data) }
      : { type: 'thinking', thinking: '', thinkingSignature: textOf(data), redacted: true };
  return isCall(block) ? callOf(block, writer, line) : undefined;
}

function callOf({ id, toolCall, thoughtSignature }: JsonObject, writer: NativeWriter, line: number): JsonObject {
  const { value, error } = outcomeOf(toolCall);
  if (!isObject(value) || textOf(value['name']) === '' || textOf(id) === '') {
    writer.loss('BAD_CALL', 'lossy', line, textOf(id) || undefined);
    return { type: 'text', text: `[invalid tool call: ${error ?? 'it has no name or no id'}]` };
  }
  const { name, arguments: given } = value;
  const args = isObject(given) ? given : given == null ? {} : { arguments: given };
  return { type: 'toolCall', id, name, arguments: args, ...(textOf(thoughtSignature) ? { thoughtSignature } : {}) };
}

/** What a user typed or a tool gave. */
export function saidBlock(block: JsonObject, writer: NativeWriter, line: number): JsonObject | undefined {
  const { type, text, resource, uri } = block;
  if (type === 'text') return { type, text: textOf(text) };
  if (type === 'image') return imageOf(block, writer, line);
  if (type === 'resource' && isObject(resource) && typeof resource['text'] === 'string')
    return { type: 'text', text: resource['text'] };
  if (type !== 'resource' && type !== 'resource_link' && type !== 'audio') return undefined;
  writer.loss('BLOCK_AS_TEXT', 'lossy', line);
  const name = textOf(isObject(resource) ? resource['uri'] : uri);
  return { type: 'text', text: `[${type} not embedded${name === '' ? '' : `: ${name}`}]` };
}

function imageOf({ data, mimeType }: JsonObject, writer: NativeWriter, line: number): JsonObject {
  if (typeof data === 'string' && data !== '')
    return { type: 'image', data, mimeType: textOf(mimeType) || 'image/png' };
  writer.loss('IMAGE_REF', 'lossy', line);
  return { type: 'text', text: '[image not embedded: unknown]' };
}

/** A result: what the model was given of it, what only the user saw, and the rest. */
export interface Result {
  readonly content: readonly JsonObject[];
  readonly isError: boolean;
  readonly forUser: readonly JsonObject[];
  readonly details: JsonObject;
}

/** Goose's words for a call that the user has stopped. */
const INTERRUPTED = /^Interrupted by the user to make a correction/;

export function resultOf({ toolResult }: JsonObject, writer: NativeWriter, line: number): Result {
  const { value, error } = outcomeOf(toolResult);
  // Older versions have the content alone.
  const { content, isError, structuredContent, _meta } = isObject(value) ? value : { content: value };
  const blocks = error === undefined && Array.isArray(content) ? content.filter(isObject) : [];
  const isForModel = (block: JsonObject): boolean => audienceOf(block)?.includes('assistant') !== false;
  const said = blocks.filter(isForModel).map((block) => saidBlock(block, writer, line) ?? unknown(block, writer, line));
  const all = error === undefined ? said : [{ type: 'text', text: error }];
  const isInterrupted = all.some(({ text }) => INTERRUPTED.test(textOf(text)));
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
  return { type: 'text', text: `[${textOf(type) || 'block'} that cannot be shown]` };
}

/** Who a piece of a result is for, where that is said. */
function audienceOf({ annotations }: JsonObject): readonly unknown[] | undefined {
  const audience = isObject(annotations) ? annotations['audience'] : undefined;
  return Array.isArray(audience) ? audience : undefined;
}
