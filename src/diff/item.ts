import { stringOf } from '../entries/entry-type.ts';
import { entryTypeOf } from '../entries/types/index.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { commandText } from '../status/bash-hint.ts';
import { argumentsOf } from '../transcript/turns.ts';
import { toJson } from '../util/to-json.ts';
import { grouped } from '../util/words.ts';

/** An entry, or a message of a context, as shown to people. */
export interface DiffItem {
  /** Such as 'user', 'result bash', 'model'. */
  readonly title: string;
  /** The whole text, used to compare. */
  readonly text: string;
  /** How many lines of the text are shown. */
  readonly maxLines: number;
}

const TEXT_LINES = 40;
const OTHER_LINES = 6;
const ARGUMENT_CHARS = 400;
const ENVELOPE = new Set(['type', 'id', 'parentId', 'timestamp']);

/** Title and text of entries that are not messages, where their type does not declare the text or needs another one. */
const NOTES: Readonly<Record<string, (entry: JsonObject) => readonly [title: string, text: string]>> = {
  model_change: (entry) => ['model', modelText(entry)],
  thinking_level_change: ({ thinkingLevel }) => ['thinking level', String(thinkingLevel)],
  mode_change: ({ mode }) => ['mode', stringOf(mode)],
  compaction: ({ firstKeptEntryId, summary }) => [
    'compaction',
    `kept from ${stringOf(firstKeptEntryId) || 'nothing'}\n${stringOf(summary)}`,
  ],
  custom_message: ({ customType, content }) => [`custom message ${stringOf(customType)}`.trim(), blocksText(content)],
  context_edit: ({ targetId, replacement }) => [
    'context edit',
    isObject(replacement)
      ? `replaces ${stringOf(targetId)}\n${blocksText(replacement['content'])}`
      : `removes ${stringOf(targetId)}`,
  ],
  label: ({ label, targetId }) => [
    'label',
    stringOf(label) === '' ? `of ${stringOf(targetId)} cleared` : `${stringOf(label)} on ${stringOf(targetId)}`,
  ],
  session_info: ({ name }) => ['name', stringOf(name)],
  title_change: ({ title }) => ['title', stringOf(title)],
};

export function itemOf(entry: JsonObject): DiffItem {
  const { type, message } = entry;
  if (type === 'message')
    return isObject(message) ? messageItem(message) : { title: 'message', text: '(no message)', maxLines: 1 };
  const note = typeof type === 'string' && Object.hasOwn(NOTES, type) ? NOTES[type] : otherNote;
  const [title, text] = (note as typeof otherNote)(entry);
  return { title, text, maxLines: OTHER_LINES };
}

function otherNote(entry: JsonObject): readonly [title: string, text: string] {
  const payload = Object.fromEntries(Object.entries(entry).filter(([key]) => !ENVELOPE.has(key)));
  const { type } = entry;
  const declared = entryTypeOf(type)?.text;
  const text = declared ? [...declared(entry)].join('\n') : cutJson(payload);
  return [typeof type === 'string' ? type.replaceAll('_', ' ') : 'entry', text];
}

/** The model of a model_change, in either dialect. */
export function modelText({ model, provider, modelId, role }: JsonObject): string {
  const parts = [provider, modelId].filter((part) => typeof part === 'string');
  const name = typeof model === 'string' ? model : parts.join('/') || 'none';
  return stringOf(role) !== '' && role !== 'default' ? `${role}: ${name}` : name;
}

/** A single message, as in a context. */
export function messageItem(message: JsonObject): DiffItem {
  const role = typeof message['role'] === 'string' ? message['role'] : 'message';
  const word = (key: string): string => stringOf(message[key]);
  const content = blocksText(message['content']);
  if (role === 'toolResult') {
    const failed = message['isError'] === true ? ' (error)' : '';
    return { title: `result ${word('toolName')}${failed}`.trim(), text: content, maxLines: OTHER_LINES };
  }
  if (role === 'bashExecution') {
    const end = message['cancelled'] === true ? 'canceled' : `exit ${String(message['exitCode'] ?? 'unknown')}`;
    const text = `$ ${word('command')}\n${word('output')}`.trimEnd();
    return { title: `user command (${end})`, text, maxLines: OTHER_LINES };
  }
  if (role === 'compactionSummary' || role === 'branchSummary')
    return { title: role, text: word('summary'), maxLines: OTHER_LINES };
  const stop = word('stopReason');
  const why = word('errorMessage') && `: ${word('errorMessage')}`;
  const odd = ['aborted', 'error', 'length'].includes(stop) ? ` (${stop}${why})` : '';
  return { title: `${role}${odd}`, text: content, maxLines: TEXT_LINES };
}

/** Text unchanged, tool calls with their arguments, other blocks by name. */
export function blocksText(content: unknown): string {
  if (!Array.isArray(content)) return stringOf(content);
  const texts = content.map((block: unknown) => (isObject(block) ? blockText(block) : ''));
  return texts.filter((text) => text !== '').join('\n');
}

function blockText(block: JsonObject): string {
  const { type, text, thinking, mimeType, name } = block;
  if (type === 'text') return stringOf(text);
  if (type === 'thinking') return `(thinking, ${grouped(stringOf(thinking).length)} characters)`;
  if (type === 'image') return `(image ${String(mimeType ?? '')})`;
  if (type !== 'toolCall') return `(${String(type)})`;
  const args = argumentsOf(block);
  const shown = isObject(args)
    ? Object.entries(args).map(([key, value]) => `${key}=${cutJson(value)}`)
    : [cutJson(args)];
  return `call ${String(name ?? '')}: ${commandText(args) ?? shown.join(' ')}`;
}

function cutJson(value: unknown): string {
  return value === undefined ? '' : cutText(toJson(value), ARGUMENT_CHARS);
}

/** The start of a long text and its length; never cuts a surrogate pair. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}... (${grouped(text.length)} characters)`;
}
