import { arrayElements, objectMembers } from '../json/text.ts';
import { stringText } from '../json/value.ts';
import type { PathEntry } from './types.ts';

/** The JSON text of every member; the last of equal keys counts, as in JSON.parse. */
export function memberTexts(text: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { key, valueStart, valueEnd } of objectMembers(text, text.indexOf('{')))
    texts.set(key, text.slice(valueStart, valueEnd));
  return texts;
}

/** The JSON texts of the elements of an array; empty for any other value. */
export function elementTexts(array = ''): string[] {
  if (!array.startsWith('[')) return [];
  return Array.from(arrayElements(array, 0), ({ start, end }) => array.slice(start, end));
}

/** An object made of JSON texts; members that are undefined are left out. */
export function objectText(members: Readonly<Record<string, string | undefined>>): string {
  const shown = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{${shown.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

/**
 * A message made of fields of an entry. Copied from the log's own text, so that numbers, escapes and key order stay the
 * same; `changed` overrides some fields, undefined removes them.
 */
export function messageText(
  role: string,
  { text, value: { timestamp } }: PathEntry,
  fields: readonly string[],
  changed: Readonly<Record<string, string | undefined>> = {},
): string {
  const texts = memberTexts(text);
  const members = fields.map((key) => [key, Object.hasOwn(changed, key) ? changed[key] : texts.get(key)]);
  // As in the agents, any timestamp is converted to a Date: null is 1970.
  const isBoxed = typeof timestamp === 'object' && timestamp !== null;
  const time = new Date((isBoxed ? stringText(timestamp) : timestamp) as string).getTime();
  return objectText({
    role: `"${role}"`,
    ...Object.fromEntries(members),
    timestamp: Number.isNaN(time) ? 'null' : String(time),
  });
}

/** The message of a message entry, copied from the log. */
export function storedMessage(entry: PathEntry): string {
  return memberTexts(entry.text).get('message') ?? '';
}
