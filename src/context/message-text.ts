import { arrayElements, objectMembers } from '../json/text.ts';
import { stringText } from '../json/value.ts';
import type { PathEntry } from './types.ts';

/** The JSON text of every member's value; of equal keys the last counts, as for JSON.parse. */
export function memberTexts(text: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { key, valueStart, valueEnd } of objectMembers(text, text.indexOf('{')))
    texts.set(key, text.slice(valueStart, valueEnd));
  return texts;
}

/** The JSON texts of the elements of an array; none where it is something else. */
export function elementTexts(array = ''): string[] {
  if (!array.startsWith('[')) return [];
  return Array.from(arrayElements(array, 0), ({ start, end }) => array.slice(start, end));
}

/** An object from JSON texts; members without one are left out. */
export function objectText(members: Readonly<Record<string, string | undefined>>): string {
  const shown = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{${shown.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

/**
 * A message from fields of an entry. It is put together from the log's own text, so that numbers, escapes and key order
 * inside it stay as they were written; `changed` has other texts for some of the fields, undefined for none.
 */
export function messageText(
  role: string,
  { text, value: { timestamp } }: PathEntry,
  fields: readonly string[],
  changed: Readonly<Record<string, string | undefined>> = {},
): string {
  const texts = memberTexts(text);
  const members = fields.map((key) => [key, Object.hasOwn(changed, key) ? changed[key] : texts.get(key)]);
  // Whatever the timestamp is, a Date is made of it, as the agents do: null is 1970.
  const isBoxed = typeof timestamp === 'object' && timestamp !== null;
  const time = new Date((isBoxed ? stringText(timestamp) : timestamp) as string).getTime();
  return objectText({
    role: `"${role}"`,
    ...Object.fromEntries(members),
    timestamp: Number.isNaN(time) ? 'null' : String(time),
  });
}

/** The message of a message entry, as the log has it. */
export function storedMessage(entry: PathEntry): string {
  return memberTexts(entry.text).get('message') ?? '';
}
