import { isObject, type JsonObject } from '../json/value.ts';
import { commandText } from '../status/bash-hint.ts';
import { grouped } from '../util/words.ts';
import { modelText } from './side.ts';

/** An entry, or a message of a projection, as a person reads it. */
export interface DiffItem {
  /** Such as 'user', 'result bash', 'model'. */
  readonly title: string;
  /** What it says, whole: what a change of it is compared by. */
  readonly text: string;
  /** How many lines of the text are shown before it is cut. */
  readonly mostLines: number;
}

const TEXT_LINES = 40;
const RESULT_LINES = 6;
const ARGUMENT_CHARS = 400;

export function itemOf(value: JsonObject): DiffItem {
  const type = value['type'];
  const message = value['message'];
  if (type === 'message')
    return isObject(message) ? messageItem(message) : { title: 'message', text: '(no message)', mostLines: 1 };
  const note = (title: string, text: string, mostLines = RESULT_LINES): DiffItem => ({ title, text, mostLines });
  const word = (key: string): string => (typeof value[key] === 'string' ? value[key] : '');
  switch (type) {
    case 'model_change':
      return note('model', modelText(value));
    case 'thinking_level_change':
      return note('thinking level', String(value['thinkingLevel']));
    case 'mode_change':
      return note('mode', word('mode'));
    case 'compaction':
      return note('compaction', `kept from ${word('firstKeptEntryId') || 'nothing'}\n${word('summary')}`);
    case 'branch_summary':
      return note('branch summary', word('summary'));
    case 'custom_message':
      return note(`custom message ${word('customType')}`.trim(), contentText(value['content']));
    case 'label':
      return note(
        'label',
        word('label') === '' ? `of ${word('targetId')} cleared` : `${word('label')} on ${word('targetId')}`,
      );
    case 'session_info':
      return note('name', word('name'));
    case 'title_change':
      return note('title', word('title'));
    default:
      return note(typeof type === 'string' ? type.replaceAll('_', ' ') : 'entry', shortJson(payloadOf(value)));
  }
}

/** A message that stands alone, as in a projection. */
export function messageItem(message: JsonObject): DiffItem {
  const role = typeof message['role'] === 'string' ? message['role'] : 'message';
  const word = (key: string): string => (typeof message[key] === 'string' ? message[key] : '');
  if (role === 'toolResult') {
    const failed = message['isError'] === true ? ' (error)' : '';
    return {
      title: `result ${word('toolName')}${failed}`.trim(),
      text: contentText(message['content']),
      mostLines: RESULT_LINES,
    };
  }
  if (role === 'bashExecution') {
    const end = message['cancelled'] === true ? 'canceled' : `exit ${String(message['exitCode'] ?? 'unknown')}`;
    return {
      title: `user command (${end})`,
      text: `$ ${word('command')}\n${word('output')}`.trimEnd(),
      mostLines: RESULT_LINES,
    };
  }
  if (role === 'compactionSummary' || role === 'branchSummary')
    return { title: role, text: word('summary'), mostLines: RESULT_LINES };
  const stop = message['stopReason'];
  const odd =
    stop === 'aborted' || stop === 'error' || stop === 'length'
      ? ` (${stop}${word('errorMessage') ? `: ${word('errorMessage')}` : ''})`
      : '';
  return { title: `${role}${odd}`, text: contentText(message['content']), mostLines: TEXT_LINES };
}

/** Text as it stands; tool calls with their arguments, other blocks by name. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n');
}

function blockText(block: unknown): string {
  if (!isObject(block)) return '';
  const type = block['type'];
  if (type === 'text') return typeof block['text'] === 'string' ? block['text'] : '';
  if (type === 'toolCall') return callText(String(block['name'] ?? ''), block['arguments'] ?? block['input']);
  if (type === 'thinking')
    return `(thinking, ${grouped(typeof block['thinking'] === 'string' ? block['thinking'].length : 0)} characters)`;
  if (type === 'image') return `(image ${String(block['mimeType'] ?? '')})`;
  return `(${String(type)})`;
}

function callText(name: string, args: unknown): string {
  const command = commandText(args);
  if (command !== undefined) return `call ${name}: ${command}`;
  if (!isObject(args)) return `call ${name}: ${shortJson(args)}`;
  return `call ${name}: ${Object.entries(args)
    .map(([key, value]) => `${key}=${shortJson(value)}`)
    .join(' ')}`;
}

function payloadOf(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => !['type', 'id', 'parentId', 'timestamp'].includes(key)),
  );
}

function shortJson(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? '';
  } catch {
    return '(nested too deeply to show)';
  }
  if (text.length <= ARGUMENT_CHARS) return text;
  // Never half a surrogate pair.
  return `${text.slice(0, ARGUMENT_CHARS).replace(/[\uD800-\uDBFF]$/, '')}... (${grouped(text.length)} characters)`;
}
