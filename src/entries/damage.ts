import { holdsEntry, type SalvagedObject, salvageEntries } from '../json/salvage.ts';
import { skipSpace, skipValue } from '../json/text.ts';
import { isObject, type JsonObject, parseJson } from '../json/value.ts';
import { decodeUtf8, type Line } from '../lines/line.ts';
import { hasEnvelope } from './envelope-check.ts';

/** Damage to the bytes of a line, in the order of checks; a line has one kind at most. */
export type Damage =
  | 'oversize-line'
  | 'nul-bytes'
  | 'invalid-utf8'
  | 'glued-entries'
  | 'torn-line'
  | 'not-json'
  | 'not-an-object';

/** A JSON object on a line. */
export interface LineObject {
  readonly value: JsonObject;
  /** The object's text; of a healthy line the whole line, including white space. */
  readonly text: string;
  /** Its range in the raw line, in bytes. */
  readonly start: number;
  readonly end: number;
}

/** The content of a line. A blank line has no objects and no damage. */
export interface LineContent {
  readonly damage: Damage | undefined;
  readonly objects: readonly LineObject[];
}

/** Whether an object inside a damaged line is a whole entry. */
export type IsEntry = (value: JsonObject) => boolean;

const NOTHING: LineContent = { damage: undefined, objects: [] };
export const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/** The content of a line: one object if it is healthy, else the damage and the whole entries on it. */
export function readContent(
  line: Line,
  version: number | undefined,
  isEntry: IsEntry = (value) => hasEnvelope(value, version),
): LineContent {
  if (line.oversize > 0) return { damage: 'oversize-line', objects: [] };
  const raw = line.raw;
  // The byte order mark is a finding of its own; the rest of the line is read as usual.
  const isMarked = line.number === 1 && line.offset === 0 && raw.startsWith(BYTE_ORDER_MARK);
  const skipped = isMarked ? BYTE_ORDER_MARK.length : 0;
  const isInvalid = line.encoding === 'invalid';
  const hasNul = raw.includes('\0');
  if (!isInvalid && !hasNul) {
    const text = skipped > 0 ? line.text.slice(1) : line.text;
    const parsed = line.json;
    if (isObject(parsed))
      return { damage: undefined, objects: [{ value: parsed, text, start: skipped, end: raw.length }] };
    if (parsed !== undefined) return { damage: 'not-an-object', objects: [] };
    if (/^[ \t\r]*$/.test(text)) return NOTHING;
  }
  // JSON's structure is ASCII, so raw bytes can be searched; only what is found is decoded.
  const body = skipped > 0 ? raw.slice(skipped) : raw;
  const found = ({ start, end }: SalvagedObject): LineObject => {
    const text = decodeUtf8(body.slice(start, end));
    return { value: JSON.parse(text) as JsonObject, text, start: skipped + start, end: skipped + end };
  };
  if (hasNul || isInvalid) {
    const whole = trimmedRange(body);
    const isWhole = isObject(parseJson(decodeUtf8(body.slice(whole.start, whole.end))));
    const objects = (isWhole ? [whole] : salvageEntries(body, isEntry)).map(found);
    return { damage: hasNul ? 'nul-bytes' : 'invalid-utf8', objects };
  }
  const objects = salvageEntries(body, isEntry).map(found);
  if (objects.length > 0 || holdsEntry(body, isEntry)) return { damage: 'glued-entries', objects };
  const start = skipSpace(body, 0);
  const isTorn = body.charCodeAt(start) === 0x7b && skipValue(body, start) < 0;
  return { damage: isTorn ? 'torn-line' : 'not-json', objects: [] };
}

/** Without white space and control characters around it. */
export function trimmedRange(raw: string): SalvagedObject {
  let start = 0;
  let end = raw.length;
  while (start < end && raw.charCodeAt(start) <= 0x20) start++;
  while (end > start && raw.charCodeAt(end - 1) <= 0x20) end--;
  return { start, end };
}
