import { isObject, type JsonObject } from '../json/value.ts';

/** A record without one of its members, which the entry has: the members before and after it. */
interface Cut extends JsonObject {
  readonly head: JsonObject;
  readonly member?: string;
  /** The member is an object, of which a member is cut. */
  readonly inner?: Cut;
  readonly tail?: JsonObject;
}

/** A record of the source, kept beside the entry that was made from it. */
export interface KeptRecord extends Cut {
  readonly line: number;
  /** The block of the message that has the member, where it is not the first. */
  readonly block?: number;
  /** The entry has the member as JSON text. */
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

/** The whole record; `value` is the member as the entry has it. */
export function restoredRecord({ head, member, inner, tail }: Cut, value: unknown): JsonObject {
  if (member === undefined) return head;
  return { ...head, [member]: inner ? restoredRecord(inner, value) : value, ...tail };
}

export function isKeptRecord(value: unknown): value is KeptRecord {
  return isObject(value) && typeof value['line'] === 'number' && isObject(value['head']);
}
