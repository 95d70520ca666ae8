import { messageOf } from '../entries/envelope-check.ts';
import { entryTypeOf } from '../entries/types/index.ts';
import type { JsonObject } from '../json/value.ts';

/** A known type with what makes it worth keeping, whatever is wrong with its place in the tree. */
export function hasPayload(value: JsonObject): boolean {
  const type = entryTypeOf(value['type']);
  if (!type) return false;
  if (type.name === 'message') return typeof messageOf(value)?.['role'] === 'string';
  return !type.payload || type.payload.some((keys) => keys.every((key) => value[key] !== undefined));
}
