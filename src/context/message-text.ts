import { arrayElements, objectMembers } from '../json/text.ts';
import { stringText } from '../json/value.ts';
import type { PathEntry } from './types.ts';

/** The JSON text of every member's value; of equal keys the last counts, as for JSON.parse. */
export function memberTexts(text: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const member of objectMembers(text, text.indexOf('{')))
    texts.set(member.key, text.slice(member.valueStart, member.valueEnd));
  return texts;
}

/** An object from JSON texts; members without one are left out. */
export function objectText(members: readonly (readonly [key: string, value: string | undefined])[]): string {
  const shown = members.filter(([, value]) => value !== undefined);
  return `{${shown.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

/**
 * A message from fields of an entry. It is put together from the log's own text, so that numbers, escapes and key order
 * inside it stay as they were written; `changed` has other texts for some of the fields, undefined for none.
 */
export function messageText(
  role: string,
  entry: PathEntry,
  fields: readonly string[],
  changed: Readonly<Record<string, string | undefined>> = {},
): string {
  const texts = memberTexts(entry.text);
  const members = fields.map((key) => [key, Object.hasOwn(changed, key) ? changed[key] : texts.get(key)] as const);
  // Whatever the timestamp is, a Date is made of it, as the agents do: null is 1970.
  const { timestamp } = entry.value;
  const time = new Date(
    (typeof timestamp === 'object' && timestamp !== null ? stringText(timestamp) : timestamp) as string,
  ).getTime();
  return objectText([['role', `"${role}"`], ...members, ['timestamp', Number.isNaN(time) ? 'null' : String(time)]]);
}

/** The JSON texts of the objects in an array. */
export function objectTexts(array: string | undefined): string[] {
  if (array === undefined) return [];
  const texts = [...arrayElements(array, array.indexOf('['))].map(({ start, end }) => array.slice(start, end));
  return texts.filter((text) => text.startsWith('{'));
}
