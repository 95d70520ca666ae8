import { isObject, type JsonObject } from '../json/value.ts';

/** The `type` of a header line. */
export const HEADER_TYPE = 'session';
/** The `type` of omp's title slot, the line before the header that omp rewrites in place. */
export const TITLE_TYPE = 'title';

export function isHeader(value: JsonObject): boolean {
  return value['type'] === HEADER_TYPE;
}

/** omp's title slot; an entry of that type would have an id. */
export function isTitleSlot(value: JsonObject): boolean {
  return value['type'] === TITLE_TYPE && !('id' in value) && !('parentId' in value);
}

/**
 * Whether an object inside a damaged line is a whole entry: with string type and timestamp, and from version 2 on id
 * and parentId. A header or a title slot counts too.
 */
export function hasEnvelope(value: JsonObject, version: number | undefined): boolean {
  if (typeof value['type'] !== 'string') return false;
  if (isHeader(value)) return typeof value['id'] === 'string' && typeof value['timestamp'] === 'string';
  if (isTitleSlot(value)) return typeof value['v'] === 'number';
  if (typeof value['timestamp'] !== 'string') return false;
  if (version === undefined || version < 2) return true;
  return typeof value['id'] === 'string' && (value['parentId'] === null || typeof value['parentId'] === 'string');
}

/** The version in a header; absent means 1. Others than 1, 2 and 3 are unknown, and read as 3. */
export function versionOf(header: JsonObject): { readonly version: 1 | 2 | 3; readonly known: boolean } {
  const version = header['version'];
  if (version === undefined) return { version: 1, known: true };
  if (version === 1 || version === 2 || version === 3) return { version, known: true };
  return { version: 3, known: false };
}

/** The version of a log without a header, by its first whole entry. */
export function versionByEntry(entry: JsonObject): 1 | 3 {
  return typeof entry['id'] === 'string' ? 3 : 1;
}

export function messageOf(entry: JsonObject): JsonObject | undefined {
  const message = entry['message'];
  return isObject(message) ? message : undefined;
}
