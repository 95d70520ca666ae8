import { applySplices, type Splice } from './text.ts';
import { isObject, type JsonObject, parseJson } from './value.ts';
import { walkJson } from './walk.ts';

const MARK = '\u0000number:';
/** Few logs have such numbers: as long as none was met nobody has to look for marks. */
let hasMarks = false;

/** Where a number may be one that JSON.parse does not give back as it was: many digits, 1.0, 1e5. */
const SUSPECT = /[:[,]\s*-?(?:\d{16}|\d+\.\d*0[\s,}\]]|\d+(?:\.\d+)?[eE])/;

/**
 * The object that a text stands for, with the digits of all its numbers: one that JSON.parse would change is a marked
 * text, which `exactJson` writes as it was. Undefined where the text is no object.
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

/** JSON text with the numbers that `parseExact` has marked as they were. */
export function exactJson(json: string): string {
  return hasMarks && json.includes('"\\u0000number:')
    ? json.replace(/"\\u0000number:(-?[0-9][0-9.eE+-]*)"/g, '$1')
    : json;
}

/** A number, also one that is marked. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'string' && value.startsWith(MARK)) return Number(value.slice(MARK.length));
  return typeof value === 'number' ? value : undefined;
}
