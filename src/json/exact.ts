import { applySplices, type Splice } from './text.ts';
import { isObject, type JsonObject, parseJson } from './value.ts';
import { walkJson } from './walk.ts';

const MARK = '\u0000number:';
/** Few logs have such numbers; until one was parsed, no text needs to be searched for marks. */
let hasMarks = false;

/** Numbers that JSON.parse may change: many digits, 1.0, 1e5. */
const SUSPECT = /[:[,]\s*-?(?:\d{16}|\d+\.\d*0[\s,}\]]|\d+(?:\.\d+)?[eE])/;

/**
 * Parses an object without losing digits: a number that JSON.parse would change becomes a marked string, which
 * `exactJson` turns back. Undefined if the text is not an object.
 */
export function parseExact(text: string): JsonObject | undefined {
  const value = parseJson(text);
  if (!isObject(value) || !SUSPECT.test(text) || text.includes('u0000number:'))
    return isObject(value) ? value : undefined;
  const splices: Splice[] = [];
  walkJson(text, 0, {
    word: (_frame, start, end) => {
      const raw = text.slice(start, end);
      if (/^[-\d]/.test(raw) && JSON.stringify(Number(raw)) !== raw)
        splices.push({ start, end, text: JSON.stringify(MARK + raw) });
    },
  });
  if (splices.length > 0) hasMarks = true;
  return splices.length === 0 ? value : (JSON.parse(applySplices(text, splices)) as JsonObject);
}

/** Restores the numbers that `parseExact` marked in JSON text. */
export function exactJson(json: string): string {
  return hasMarks && json.includes('"\\u0000number:')
    ? json.replace(/"\\u0000number:(-?[0-9][0-9.eE+-]*)"/g, '$1')
    : json;
}

/** A number, marked or not. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'string' && value.startsWith(MARK)) return Number(value.slice(MARK.length));
  return typeof value === 'number' ? value : undefined;
}
