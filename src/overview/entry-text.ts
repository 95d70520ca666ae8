import { stringOf } from '../entries/entry-type.ts';
import { entryTypeOf } from '../entries/types/index.ts';
import { isObject, type JsonObject } from '../json/value.ts';

/** What an entry is called in an overview: the role of a message, else its type. */
export function kindOf(value: JsonObject): string {
  const type = stringOf(value['type']);
  if (type !== 'message') return type || '(no type)';
  const message = value['message'];
  return (isObject(message) && stringOf(message['role'])) || type;
}

/** Everything in an entry that a person would read, one part a line: what `--grep` looks through. */
export function entryText(value: JsonObject): string {
  return [...entryParts(value)].filter((part) => part !== '').join('\n');
}

/** White space but for a single blank, which would only be replaced by itself. */
const NOT_ONE_SPACE = /[^\S ]\s*| \s+/g;

/** The start of an entry's text on one line, white space taken together. */
export function oneLine(value: JsonObject, longest: number): string {
  let line = '';
  for (const part of entryParts(value)) {
    // Twice as much, for white space is about to go.
    const piece = part
      .slice(0, longest * 2 + 100)
      .replace(NOT_ONE_SPACE, ' ')
      .trim();
    if (piece === '') continue;
    line += line === '' ? piece : ` ${piece}`;
    if (line.length >= longest) break;
  }
  return line;
}

/** What of a type without a text of its own a person would read. */
const USUAL_KEYS = [
  'customType',
  'thinkingLevel',
  'mode',
  'name',
  'title',
  'serviceTier',
  'tier',
  'reason',
  'task',
  'systemPrompt',
];

function entryParts(value: JsonObject): Iterable<string> {
  return entryTypeOf(value['type'])?.text?.(value) ?? USUAL_KEYS.map((key) => stringOf(value[key]));
}
