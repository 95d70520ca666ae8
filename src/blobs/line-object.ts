import { BYTE_ORDER_MARK, type Damage, readContent } from '../entries/damage.ts';
import { skipSpace, skipString } from '../json/text.ts';
import { isObject, type JsonObject, parseJson } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { canonicalBytes } from './base64.ts';

/** What a line holds, found without reading through its images a second time. */
export interface LineLook {
  readonly damage: Damage | 'byte-order-mark' | undefined;
  /** The object, with '' in place of long base64 strings. Undefined for a blank line, and a damaged one but for a byte order mark. */
  readonly value: JsonObject | undefined;
  /** Where the object may begin: behind a byte order mark. */
  readonly from: number;
  /** The decoded bytes of long strings that are canonical base64, by where their quotes open. */
  readonly decoded: ReadonlyMap<number, Buffer>;
}

/** Below this a line is parsed as it is. */
const LONG_LINE = 8192;
/** Strings from this length on are looked at as base64. */
const LONG_STRING = 1024;
const NONE: ReadonlyMap<number, Buffer> = new Map();

/**
 * JSON.parse decides whether a line is whole. The images in it, which are nearly all of a large line, are known to be
 * plain characters once they were decoded; so it gets the line without them, which is whole if and only if the line is.
 */
export function lookAt(line: Line, version: number | undefined): LineLook {
  if (line.blank) return { damage: undefined, value: undefined, from: 0, decoded: NONE };
  const from = line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  if (line.oversize === 0 && line.encoding !== 'invalid') {
    const { text, decoded } =
      line.raw.length < LONG_LINE ? { text: line.raw.slice(from), decoded: NONE } : withoutImages(line.raw, from);
    const value = parseJson(text);
    if (isObject(value)) return { damage: from > 0 ? 'byte-order-mark' : undefined, value, from, decoded };
  }
  return { damage: readContent(line, version).damage, value: undefined, from, decoded: NONE };
}

function withoutImages(raw: string, from: number): { text: string; decoded: Map<number, Buffer> } {
  const decoded = new Map<number, Buffer>();
  let text = '';
  let copied = from;
  let at = raw.indexOf('"', skipSpace(raw, from));
  while (at >= 0) {
    const end = skipString(raw, at);
    if (end < 0) break;
    if (end - at - 2 >= LONG_STRING) {
      const bytes = canonicalBytes(raw, at + 1, end - 1);
      if (bytes) {
        decoded.set(at, bytes);
        text += raw.slice(copied, at + 1);
        copied = end - 1;
      }
    }
    at = raw.indexOf('"', end);
  }
  return { text: text + raw.slice(copied), decoded };
}
