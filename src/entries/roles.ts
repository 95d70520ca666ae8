import { isObject, type JsonObject } from '../json/value.ts';
import { contentText } from './blocks.ts';
import { type MessageRole, stringOf } from './entry-type.ts';
import type { Fields, Shapes } from './schema/shapes.ts';

const extensionFields = ({ string, boolean, optional, anything, content, timestamp }: Shapes): Fields => ({
  customType: string,
  content,
  display: optional(boolean),
  details: anything,
  attribution: optional(string),
  timestamp,
});

/** Every message role that is known. */
export const messageRoles: MessageRole[] = [
  { name: 'user', fields: ({ content, timestamp }) => ({ content, timestamp }) },
  {
    // Seed 004 has no api and no stop reason, seed 000 no provider. An empty content is a turn that failed or was stopped.
    name: 'assistant',
    hasUsage: true,
    fields: ({ string, number, boolean, object, optional, anything, content, usageOfTurn, timestamp }) => ({
      content,
      api: optional(string),
      provider: optional(string),
      model: optional(string),
      usage: optional(usageOfTurn),
      stopReason: optional(string),
      errorMessage: optional(string),
      // pi 1.5.
      rawStopReason: optional(string),
      endTurn: optional(boolean),
      deferred: optional(
        object({
          id: string,
          provider: optional(string),
          modelId: optional(string),
          api: optional(string),
          pollAfterMs: optional(number),
        }),
      ),
      responseId: optional(string),
      responseModel: optional(string),
      thinkingLevel: optional(string),
      providerThinkingLevel: anything,
      diagnostics: anything,
      timestamp,
    }),
  },
  {
    name: 'toolResult',
    hasUsage: true,
    fields: ({ string, boolean, object, array, optional, anything, content, usage, timestamp }) => ({
      toolCallId: string,
      toolName: optional(string),
      content,
      isError: optional(boolean),
      details: anything,
      // pi 1.5: what the tool itself used, and the calls that it made.
      usage: optional(usage),
      nestedCalls: optional(object({ calls: array(object({})), complete: optional(boolean) })),
      timestamp,
    }),
    text: (message) => [
      `${stringOf(message['toolName']) || 'tool'}:${message['isError'] === true ? ' (error)' : ''}`,
      ...bodyText(message),
    ],
  },
  {
    // A command that the user ran. It has no content; the exit code is absent or null when it was stopped.
    name: 'bashExecution',
    fields: ({ string, number, boolean, optional, orNull, timestamp }) => ({
      command: string,
      output: string,
      exitCode: optional(orNull(number)),
      cancelled: optional(boolean),
      truncated: optional(boolean),
      fullOutputPath: optional(string),
      excludeFromContext: optional(boolean),
      timestamp,
    }),
    text: (message) => [`$ ${stringOf(message['command'])}`, stringOf(message['output'])],
  },
  // What an extension said.
  {
    name: 'custom',
    fields: extensionFields,
    text: (message) => [stringOf(message['customType']), ...bodyText(message)],
  },
  // omp: instructions that are between the system's and the user's.
  { name: 'developer', dialect: 'omp', fields: ({ content, timestamp }) => ({ content, timestamp }) },
  {
    // omp: code that the user ran.
    name: 'pythonExecution',
    dialect: 'omp',
    fields: ({ string, number, boolean, optional, orNull, timestamp }) => ({
      code: string,
      output: string,
      exitCode: optional(orNull(number)),
      cancelled: optional(boolean),
      truncated: optional(boolean),
      excludeFromContext: optional(boolean),
      timestamp,
    }),
    text: (message) => [`>>> ${stringOf(message['code'])}`, stringOf(message['output'])],
  },
  {
    // omp: files that the user named, with what they held.
    name: 'fileMention',
    dialect: 'omp',
    fields: ({ string, number, object, array, optional, block, timestamp }) => ({
      files: array(
        object({ path: string, content: optional(string), lineCount: optional(number), image: optional(block) }),
      ),
      timestamp,
    }),
    text: ({ files }) =>
      Array.isArray(files) ? [files.map((file) => (isObject(file) ? stringOf(file['path']) : '')).join(' ')] : [],
  },
  {
    // pi: the system prompt, whole or by sections, and the tools that came with it.
    name: 'system',
    dialect: 'pi',
    fields: ({ object, array, optional, union, unknown, content, timestamp }) => ({
      content,
      sections: optional(union([object({}), array(unknown)])),
      toolsAdded: optional(array(unknown)),
      toolsRemoved: optional(array(unknown)),
      timestamp,
    }),
  },
  // The name of `custom` before version 3.
  {
    name: 'hookMessage',
    isOld: true,
    fields: extensionFields,
    text: (message) => [stringOf(message['customType']), ...bodyText(message)],
  },
];

function* bodyText(message: JsonObject): Generator<string, void, void> {
  yield* contentText(message['content']);
  yield stringOf(message['errorMessage']);
}

/** What a person reads of a message, in parts. */
export function messageText(message: JsonObject): Iterable<string> {
  return (messageRoles.find(({ name }) => name === message['role'])?.text ?? bodyText)(message);
}
