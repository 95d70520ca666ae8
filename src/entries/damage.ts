import { holdsEntry, salvageEntries } from '../json/salvage.ts';
import { skipSpace, skipValue } from '../json/text.ts';
import { isObject, type JsonObject, parseJson } from '../json/value.ts';
import { decodeUtf8, type Line } from '../lines/line.ts';
import { hasEnvelope } from './envelope-check.ts';

/** What can be wrong with the bytes of a line, in the order in which it is looked for: a line has one of them at most. */
export type Damage =
  | 'oversize-line'
  | 'nul-bytes'
  | 'invalid-utf8'
  | 'glued-entries'
  | 'torn-line'
  | 'not-json'
  | 'not-an-object';

/** A JSON object of a line. */
export interface LineObject {
  readonly value: JsonObject;
  /** The object's text; of a healthy line the whole line, white space around the object included. */
  readonly text: string;
  /** Where it stands in the raw line, in bytes. */
  readonly start: number;
  readonly end: number;
}

/** What a line holds. A blank line holds nothing and is not damaged. */
export interface LineContent {
  readonly damage: Damage | undefined;
  readonly objects: readonly LineObject[];
}

const NOTHING: LineContent = { damage: undefined, objects: [] };
export const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/** What a line holds: one object where it is healthy, else the damage and the entries that are whole in spite of it. */
export function readContent(line: Line, version: number | undefined): LineContent {
  if (line.oversize > 0) return { damage: 'oversize-line', objects: [] };
  const raw = line.raw;
  // The mark is a finding of its own; behind it the line is read as any other.
  const skipped = line.offset === 0 && raw.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  if (line.encoding !== 'invalid' && !raw.includes('\0')) {
    const text = skipped > 0 ? line.text.slice(1) : line.text;
    const parsed = parseJson(text);
    if (isObject(parsed))
      return { damage: undefined, objects: [{ value: parsed, text, start: skipped, end: raw.length }] };
    if (parsed !== undefined) return { damage: 'not-an-object', objects: [] };
    if (text.trim() === '' && isBlank(text)) return NOTHING;
  }
  return readDamaged(raw, skipped, line.encoding === 'invalid', version);
}

function readDamaged(raw: string, skipped: number, invalid: boolean, version: number | undefined): LineContent {
  const isEntry = (value: JsonObject): boolean => hasEnvelope(value, version);
  // JSON's structure is ASCII, so the bytes can be searched as they are; only what is found is decoded.
  const body = skipped > 0 ? raw.slice(skipped) : raw;
  const nul = body.includes('\0');
  if (nul || invalid) {
    const damage = nul ? 'nul-bytes' : 'invalid-utf8';
    const start = skipGap(body, 0);
    const end = gapEnd(body);
    const whole = parseJson(decodeUtf8(body.slice(start, end)));
    if (isObject(whole)) return { damage, objects: [found(body, start, end, skipped)] };
    return { damage, objects: salvaged(body, skipped, isEntry) };
  }
  const objects = salvaged(body, skipped, isEntry);
  if (objects.length > 0 || holdsEntry(body, isEntry)) return { damage: 'glued-entries', objects };
  return { damage: isTorn(body) ? 'torn-line' : 'not-json', objects: [] };
}

function salvaged(body: string, skipped: number, isEntry: (value: JsonObject) => boolean): LineObject[] {
  const { head, tail } = salvageEntries(body, isEntry);
  return [...head, ...tail].map((one) => found(body, one.start, one.end, skipped));
}

function found(body: string, start: number, end: number, skipped: number): LineObject {
  const text = decodeUtf8(body.slice(start, end));
  return { value: JSON.parse(text) as JsonObject, text, start: skipped + start, end: skipped + end };
}

/** Starts as an object and ends before it closes. */
function isTorn(body: string): boolean {
  const start = skipSpace(body, 0);
  return body.charCodeAt(start) === 0x7b && skipValue(body, start) < 0;
}

function isBlank(text: string): boolean {
  return /^[ \t\r]*$/.test(text);
}

function skipGap(body: string, from: number): number {
  let at = from;
  while (at < body.length && (body.charCodeAt(at) <= 0x20 || body.charCodeAt(at) === 0)) at++;
  return at;
}

function gapEnd(body: string): number {
  let end = body.length;
  while (end > 0 && body.charCodeAt(end - 1) <= 0x20) end--;
  return end;
}
