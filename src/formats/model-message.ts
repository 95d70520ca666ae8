import { stringOf } from '../entries/entry-type.ts';
import { entryTypeOf } from '../entries/types/index.ts';
import { executionText, mentionedFiles, systemText } from '../entries/user-text.ts';
import { isObject, type JsonObject, objectsIn } from '../json/value.ts';

/** What an entry adds to the context of the model, for the formats that are written. */
export interface ModelMessage {
  /** `system` is text that no person typed; a `summary` replaces a branch, or what a compaction left out. */
  readonly kind: 'user' | 'assistant' | 'result' | 'system' | 'summary';
  readonly content: readonly JsonObject[];
  /** The native message, or the entry where it has none. */
  readonly message: JsonObject;
}

/** Undefined for an entry of which the model sees nothing. */
export function modelMessageOf(entry: JsonObject): ModelMessage | undefined {
  const { type, message, content, summary } = entry;
  if (type === 'message') return isObject(message) ? byRole(message) : undefined;
  const toModel = entryTypeOf(type)?.toModel;
  if (toModel === 'summary') return modelMessage('summary', summary, entry);
  return toModel === 'message' ? modelMessage('system', content, entry) : undefined;
}

const KINDS: ReadonlyMap<unknown, ModelMessage['kind']> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['toolResult', 'result'],
  ['bashExecution', 'user'],
  ['pythonExecution', 'user'],
  ['fileMention', 'user'],
]);

function byRole(message: JsonObject): ModelMessage | undefined {
  if (message['excludeFromContext'] === true) return undefined;
  return modelMessage(KINDS.get(message['role']) ?? 'system', contentOf(message), message);
}

/** What a message says to the model: a text, or blocks. */
export function contentOf(message: JsonObject): unknown {
  const { role, content } = message;
  if (role === 'bashExecution' || role === 'pythonExecution') return executionText(message);
  if (role === 'fileMention') return mentionedFiles(message);
  return role === 'system' ? systemText(message) : content;
}

function modelMessage(kind: ModelMessage['kind'], content: unknown, message: JsonObject): ModelMessage {
  return { kind, content: blocksOf(content), message };
}

/** The blocks of a content, which may be a text alone. */
export function blocksOf(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
}

/** All texts of a content, one per line. */
export function plainText(content: unknown): string {
  return blocksOf(content)
    .map(({ text }) => stringOf(text))
    .join('\n');
}

/** The texts of blocks of one type, one per line. */
export function textOf(content: readonly JsonObject[], type: 'text' | 'thinking' = 'text'): string {
  return content
    .filter((block) => block['type'] === type)
    .map((block) => stringOf(block[type]))
    .join('\n');
}

/** Whether the provider has signed a block, and wants to see that again. */
export function isSigned(block: JsonObject): boolean {
  return Object.keys(block).some((key) => key.endsWith('Signature'));
}
