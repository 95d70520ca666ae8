import { arrayElements, objectMembers } from '../../json/text.ts';
import type { JsonObject } from '../../json/value.ts';

/**
 * Messages are put together from pieces of the log's own text, so that numbers, escapes and key order inside them stay
 * as they were written.
 */
export type MemberTexts = ReadonlyMap<string, string>;

/** The JSON text of every member's value; of equal keys the last counts, as for JSON.parse. */
export function memberTexts(text: string): MemberTexts {
  const texts = new Map<string, string>();
  for (const member of objectMembers(text, text.indexOf('{'))) texts.set(member.key, text.slice(member.valueStart, member.valueEnd));
  return texts;
}

/** An object from JSON texts; members without one are left out. */
export function objectText(members: readonly (readonly [key: string, value: string | undefined])[]): string {
  let text = '';
  for (const [key, value] of members) if (value !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${value}`;
  return `{${text}}`;
}

/** The entry's time in milliseconds since 1970 as JSON text; null where nothing can be read. */
export function timeText(entry: JsonObject): string {
  // Whatever it is, a Date is made of it, as the agents do: null is 1970.
  const time = new Date(entry['timestamp'] as string).getTime();
  return Number.isNaN(time) ? 'null' : String(time);
}

/** The JSON texts of the objects in an array. */
export function objectTexts(array: string | undefined): string[] {
  if (array === undefined) return [];
  const texts = [...arrayElements(array, array.indexOf('['))].map(({ start, end }) => array.slice(start, end));
  return texts.filter((text) => text.startsWith('{'));
}
