import { isHeader, isTitleSlot, messageOf } from '../../entries/envelope-check.ts';
import { entryTypeOf } from '../../entries/types/index.ts';
import type { JsonObject } from '../../json/value.ts';

/** How many lines that are not blank are looked at before a file is called foreign. */
export const LINES_TO_LOOK_AT = 256;

/** A native header, a title slot or a native entry: one of them makes the file ours, so a log that lost its header is ours too. */
export function isNative(value: JsonObject): boolean {
  if (isHeader(value)) {
    if (isSessionTrace(value)) return false;
    return (
      typeof value['id'] === 'string' || typeof value['timestamp'] === 'string' || typeof value['cwd'] === 'string'
    );
  }
  if (isTitleSlot(value)) return typeof value['v'] === 'number' && typeof value['title'] === 'string';
  const type = value['type'];
  if (typeof type !== 'string' || !entryTypeOf(type) || typeof value['timestamp'] !== 'string') return false;
  if (Object.hasOwn(value, 'id') && Object.hasOwn(value, 'parentId')) return true;
  return type === 'message' && typeof messageOf(value)?.['role'] === 'string';
}

/** An entry of a known type, as far as that shows: version 1 has neither ids nor parents, and a damaged one may lack its time. */
export function isKnownEntry(value: JsonObject): boolean {
  const { type } = value;
  if (typeof type !== 'string' || !entryTypeOf(type)) return false;
  return typeof value['timestamp'] === 'string' || (Object.hasOwn(value, 'id') && Object.hasOwn(value, 'parentId'));
}

/** The first line of a Hugging Face session trace: a header by its type, but it names a harness and no folder. */
export function isSessionTrace(value: JsonObject): boolean {
  return isHeader(value) && typeof value['harness'] === 'string' && typeof value['cwd'] !== 'string';
}
