import { isObject, type JsonObject } from '../json/value.ts';
import { toJson } from '../util/to-json.ts';
import { type ContentBlock, stringOf } from './entry-type.ts';

/** Every content block that is known. */
export const contentBlocks: ContentBlock[] = [
  {
    name: 'text',
    fields: ({ string, optional }) => ({ text: string, textSignature: optional(string) }),
    text: (block) => stringOf(block['text']),
  },
  {
    // `data` is base64 or a blob ref.
    name: 'image',
    fields: ({ string }) => ({ data: string, mimeType: string }),
    text: (block) => `[${stringOf(block['mimeType']) || 'image'}]`,
  },
  {
    // pi marks what the provider has encrypted as redacted, and may leave the text out.
    name: 'thinking',
    fields: ({ string, boolean, optional }) => ({
      thinking: optional(string),
      thinkingSignature: optional(string),
      redacted: optional(boolean),
    }),
    oneOf: [['thinking'], ['redacted']],
    text: (block) => (stringOf(block['thinking']) === '' ? '' : `(thinking) ${stringOf(block['thinking'])}`),
  },
  {
    // Seed 000 spells the arguments `input`.
    name: 'toolCall',
    fields: ({ string, object, optional }) => ({
      id: string,
      name: string,
      namespace: optional(string),
      arguments: optional(object({})),
      input: optional(object({})),
      thoughtSignature: optional(string),
    }),
    oneOf: [['arguments'], ['input']],
    text: callText,
  },
  // omp: thinking that the provider has encrypted.
  { name: 'redactedThinking', fields: ({ string }) => ({ data: string }) },
  // omp: a provider's own block, carried as it came.
  { name: 'anthropicServerTool', fields: ({ object }) => ({ block: object({}) }) },
  // omp: the turn went on with another model.
  { name: 'fallback', fields: ({ anything }) => ({ from: anything, to: anything }) },
];

/** A call as a person would note it: the name, and the values of its arguments. */
function callText(block: JsonObject): string {
  const values = isObject(block['arguments']) ? block['arguments'] : isObject(block['input']) ? block['input'] : {};
  const words = Object.entries(values).map(([key, value]) => {
    const text = typeof value === 'string' ? value : toJson(value);
    return key === 'path' || key === 'command' ? text : `${key}=${text}`;
  });
  return `${stringOf(block['name']) || 'tool'}(${words.join(', ')})`;
}

/** What a person reads of a content, a part per block. */
export function* contentText(content: unknown): Generator<string, void, void> {
  if (typeof content === 'string') yield content;
  if (!Array.isArray(content)) return;
  // What was said comes before what was thought.
  const thoughts: string[] = [];
  for (const block of content as readonly unknown[]) {
    if (!isObject(block)) continue;
    const known = contentBlocks.find(({ name }) => name === block['type']);
    const text = known?.text?.(block) ?? `[${stringOf(block['type'])}]`;
    if (known?.name === 'thinking') thoughts.push(text);
    else yield text;
  }
  yield* thoughts;
}
