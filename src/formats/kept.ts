import { isObject, type JsonObject } from '../json/value.ts';

/** A record without one of its members, which the entry beside it has: the members before it, and those behind it. */
interface Cut extends JsonObject {
  readonly head: JsonObject;
  readonly member?: string;
  /** The member is in this one, which is cut itself. */
  readonly inner?: Cut;
  readonly tail?: JsonObject;
}

/** A record of the source beside the entry that was made of it. */
export interface KeptRecord extends Cut {
  readonly line: number;
  /** Which block of the message has the member, where it is not the first. */
  readonly block?: number;
  /** It is a text there, which stands for another value. */
  readonly json?: true;
}

/** `path` leads to the member that an entry has, if any. */
export function keptRecord(record: JsonObject, line: number, ...path: readonly string[]): KeptRecord {
  return { line, ...cut(record, path) };
}

function cut(record: JsonObject, [member, ...rest]: readonly string[]): Cut {
  const entries = Object.entries(record);
  const at = entries.findIndex(([key]) => key === member);
  if (member === undefined || at < 0) return { head: record };
  const head = Object.fromEntries(entries.slice(0, at));
  const tail = entries.length > at + 1 ? { tail: Object.fromEntries(entries.slice(at + 1)) } : {};
  const value = record[member];
  const inner = rest.length > 0 && isObject(value) ? { inner: cut(value, rest) } : {};
  return { head, member, ...inner, ...tail };
}

/** The record again; `value` is what the entry has in the place of the member. */
export function restoredRecord({ head, member, inner, tail }: Cut, value: unknown): JsonObject {
  if (member === undefined) return head;
  return { ...head, [member]: inner ? restoredRecord(inner, value) : value, ...tail };
}

export function isKeptRecord(value: unknown): value is KeptRecord {
  return isObject(value) && typeof value['line'] === 'number' && isObject(value['head']);
}
