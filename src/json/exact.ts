import { applySplices, type Splice } from './text.ts';
import { isObject, type JsonObject, parseJson } from './value.ts';
import { type Frame, walkJson } from './walk.ts';

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
  const marked = markNumbers(text, (raw) => /^[-\d]/.test(raw) && JSON.stringify(Number(raw)) !== raw);
  if (marked === text) return value;
  hasMarks = true;
  return JSON.parse(marked) as JsonObject;
}

/** The text with numbers as marked strings: those of all words outside of strings that a test picks. */
export function markNumbers(text: string, picks: (raw: string, frame: Frame) => boolean): string {
  const splices: Splice[] = [];
  walkJson(text, 0, {
    word: (frame, start, end) => {
      const raw = text.slice(start, end);
      if (picks(raw, frame)) splices.push({ start, end, text: JSON.stringify(MARK + raw) });
    },
  });
  return applySplices(text, splices);
}

/** JSON text with its marked strings as numbers again. */
export function unmarkNumbers(json: string): string {
  return json.replace(/"\\u0000number:(-?[0-9][0-9.eE+-]*)"/g, '$1');
}

/** Restores the numbers that `parseExact` marked in JSON text. */
export function exactJson(json: string): string {
  return hasMarks && json.includes('"\\u0000number:') ? unmarkNumbers(json) : json;
}

/** A number, marked or not. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'string' && value.startsWith(MARK)) return Number(value.slice(MARK.length));
  return typeof value === 'number' ? value : undefined;
}

/** Whether a value is a whole number of at least 0. */
export function isCount(value: unknown): boolean {
  const number = numberOf(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0;
}
