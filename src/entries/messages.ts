import { isObject, type JsonObject, objectsIn } from '../json/value.ts';
import { namedArguments } from '../transcript/turns.ts';
import { toJson } from '../util/to-json.ts';
import { type ContentBlock, type MessageRole, stringOf } from './entry-type.ts';

/** All known content blocks. */
export const contentBlocks: ContentBlock[] = [
  { name: 'text', fields: 'text: string, textSignature?: string', text: (block) => stringOf(block['text']) },
  {
    // `data` is base64 or a blob ref.
    name: 'image',
    fields: 'data: string, mimeType: string',
    text: (block) => `[${stringOf(block['mimeType']) || 'image'}]`,
  },
  {
    // pi marks encrypted thinking as redacted, and may leave the text out.
    name: 'thinking',
    fields: 'thinking?: string, thinkingSignature?: string, redacted?: boolean',
    oneOf: [['thinking'], ['redacted']],
    text: (block) => (stringOf(block['thinking']) === '' ? '' : `(thinking) ${stringOf(block['thinking'])}`),
  },
  {
    // Seed 000 calls the arguments `input`.
    name: 'toolCall',
    fields: `id: string, name: string, namespace?: string, arguments?: object, input?: object,
      thoughtSignature?: string`,
    oneOf: [['arguments'], ['input']],
    text: callText,
  },
  // omp: encrypted thinking.
  { name: 'redactedThinking', fields: 'data: string' },
  // omp: a provider's own block, unchanged.
  { name: 'anthropicServerTool', fields: 'block: object' },
  // omp: the turn continued with another model.
  { name: 'fallback', fields: 'from?: unknown, to?: unknown' },
];

/** A call as one line: the name and its arguments. */
function callText(block: JsonObject): string {
  const words = Object.entries(namedArguments(block)).map(([key, value]) => {
    const text = typeof value === 'string' ? value : toJson(value);
    return key === 'path' || key === 'command' ? text : `${key}=${text}`;
  });
  return `${stringOf(block['name']) || 'tool'}(${words.join(', ')})`;
}

/** The readable text of a content, one part per block. */
export function* contentText(content: unknown): Generator<string> {
  if (typeof content === 'string') yield content;
  // Thinking comes last.
  const thoughts: string[] = [];
  for (const block of objectsIn(content)) {
    const known = contentBlocks.find(({ name }) => name === block['type']);
    const text = known?.text?.(block) ?? `[${stringOf(block['type'])}]`;
    if (known?.name === 'thinking') thoughts.push(text);
    else yield text;
  }
  yield* thoughts;
}

/** A message of an extension. */
const extension: MessageRole = {
  name: 'custom',
  fields: `customType: string, content: content, display?: boolean, details?: unknown, attribution?: string,
    timestamp?: unknown`,
  text: (message) => [stringOf(message['customType']), ...bodyText(message)],
};

/** All known message roles. */
export const messageRoles: MessageRole[] = [
  { name: 'user', fields: 'content: content, timestamp?: unknown' },
  {
    // Seed 004 has no api and no stop reason, seed 000 no provider. Empty content is a turn that failed or was stopped.
    // The fields from rawStopReason on are mostly of pi 1.5.
    name: 'assistant',
    hasUsage: true,
    fields: `content: content, api?: string, provider?: string, model?: string, usage?: usageOfTurn, stopReason?: string,
      errorMessage?: string, rawStopReason?: string, endTurn?: boolean,
      deferred?: { id: string, provider?: string, modelId?: string, api?: string, pollAfterMs?: number },
      responseId?: string, responseModel?: string, thinkingLevel?: string, providerThinkingLevel?: unknown,
      diagnostics?: unknown, timestamp?: unknown`,
  },
  {
    // pi 1.5 adds the tool's own usage, and the calls that it made.
    name: 'toolResult',
    hasUsage: true,
    fields: `toolCallId: string, toolName?: string, content: content, isError?: boolean, details?: unknown,
      usage?: usage, nestedCalls?: { calls: object[], complete?: boolean }, timestamp?: unknown`,
    text: (message) => [
      `${stringOf(message['toolName']) || 'tool'}:${message['isError'] === true ? ' (error)' : ''}`,
      ...bodyText(message),
    ],
  },
  {
    // A command run by the user. It has no content; without an exit code it was stopped.
    name: 'bashExecution',
    fields: `command: string, output: string, exitCode?: number | null, cancelled?: boolean, truncated?: boolean,
      fullOutputPath?: string, excludeFromContext?: boolean, timestamp?: unknown`,
    text: (message) => [`$ ${stringOf(message['command'])}`, stringOf(message['output'])],
  },
  extension,
  // omp: instructions that rank between those of the system and the user.
  { name: 'developer', dialect: 'omp', fields: 'content: content, timestamp?: unknown' },
  {
    // omp: code run by the user.
    name: 'pythonExecution',
    dialect: 'omp',
    fields: `code: string, output: string, exitCode?: number | null, cancelled?: boolean, truncated?: boolean,
      excludeFromContext?: boolean, timestamp?: unknown`,
    text: (message) => [`>>> ${stringOf(message['code'])}`, stringOf(message['output'])],
  },
  {
    // omp: files mentioned by the user, with their content.
    name: 'fileMention',
    dialect: 'omp',
    fields: `files: { path: string, content?: string, lineCount?: number, image?: block }[], timestamp?: unknown`,
    text: ({ files }) =>
      Array.isArray(files) ? [files.map((file) => (isObject(file) ? stringOf(file['path']) : '')).join(' ')] : [],
  },
  {
    // pi: the system prompt, whole or in sections, and its tools.
    name: 'system',
    dialect: 'pi',
    fields: `content: content, sections?: object | unknown[], toolsAdded?: unknown[], toolsRemoved?: unknown[],
      timestamp?: unknown`,
  },
  // The name of `custom` before version 3.
  { ...extension, name: 'hookMessage', isOld: true },
];

function* bodyText(message: JsonObject): Generator<string> {
  yield* contentText(message['content']);
  yield stringOf(message['errorMessage']);
}

/** The readable text of a message, in parts. */
export function messageText(message: JsonObject): Iterable<string> {
  return (messageRoles.find(({ name }) => name === message['role'])?.text ?? bodyText)(message);
}
