import { stringOf } from '../entries/entry-type.ts';
import { executionText, mentionedFiles, systemText } from '../entries/user-text.ts';
import { isObject, type JsonObject } from '../json/value.ts';

/** What an entry says to the model, for the formats that are written: who speaks, and the blocks of it. */
export interface Said {
  /** `system` is text that no person typed; a `summary` takes the place of a branch, or of what a compaction left out. */
  readonly by: 'user' | 'assistant' | 'result' | 'system' | 'summary';
  readonly content: readonly JsonObject[];
  /** The message, of which the format may know more. */
  readonly message: JsonObject;
}

/** Undefined for an entry of which the model sees nothing. */
export function saidBy(entry: JsonObject): Said | undefined {
  const { type, message, content, summary } = entry;
  if (type === 'compaction' || type === 'branch_summary') return said('summary', summary, entry);
  if (type === 'custom_message') return said('system', content, entry);
  return type === 'message' && isObject(message) ? saidInMessage(message) : undefined;
}

function saidInMessage(message: JsonObject): Said | undefined {
  const { role, content } = message;
  if (message['excludeFromContext'] === true) return undefined;
  if (role === 'user' || role === 'assistant') return said(role, content, message);
  if (role === 'toolResult') return said('result', content, message);
  if (role === 'bashExecution' || role === 'pythonExecution') return said('user', executionText(message), message);
  if (role === 'fileMention') return said('user', mentionedFiles(message), message);
  return said('system', role === 'system' ? systemText(message) : content, message);
}

function said(by: Said['by'], content: unknown, message: JsonObject): Said {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return { by, content: Array.isArray(blocks) ? blocks.filter(isObject) : [], message };
}

/** The texts of blocks of one type, a line between them. */
export function textOf(content: readonly JsonObject[], type: 'text' | 'thinking' = 'text'): string {
  return content
    .filter((block) => block['type'] === type)
    .map((block) => stringOf(block[type]))
    .join('\n');
}

/** What a call was given, in either spelling. */
export function argumentsOf(call: JsonObject): JsonObject {
  return [call['arguments'], call['input']].find(isObject) ?? {};
}
