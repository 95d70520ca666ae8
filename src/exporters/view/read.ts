import { isObject, type JsonObject } from '../../json/value.ts';
import { EXACT_MARK } from './exact.ts';

/** The value if it is a string, else undefined: exports show what is there and complain about nothing. */
export function stringOf(found: unknown): string | undefined {
  return typeof found === 'string' ? found : undefined;
}

export function numberOf(found: unknown): number | undefined {
  return typeof found === 'number' ? found : undefined;
}

export function objectOf(found: unknown): JsonObject | undefined {
  return isObject(found) ? found : undefined;
}

export function stringsOf(found: unknown): readonly string[] {
  return Array.isArray(found) ? found.filter((one): one is string => typeof one === 'string') : [];
}

const MARKED = JSON.stringify(EXACT_MARK).slice(0, -1);
const MARKED_NUMBER = /"\\u0000number:(-?[0-9][0-9.eE+-]*)"/g;

/** JSON for reading; undefined stands for nothing to show. */
export function jsonText(value: unknown, indent = 2): string {
  try {
    const text = JSON.stringify(value, null, indent) ?? '';
    return text.includes(MARKED) ? text.replace(MARKED_NUMBER, '$1') : text;
  } catch (error) {
    if (error instanceof RangeError) return '(nested too deeply to show)';
    throw error;
  }
}

/** The members except those that were shown already, or undefined when none is left. */
export function remainder(value: JsonObject, shown: readonly string[]): JsonObject | undefined {
  const keys = Object.keys(value).filter((key) => !shown.includes(key));
  return keys.length === 0 ? undefined : Object.fromEntries(keys.map((key) => [key, value[key]]));
}

const COLORS = /\u001b\[[0-9;:]*m/g;

/** Output without its colors, which say nothing here. */
export function withoutColors(text: string): string {
  return text.includes('\u001b') ? text.replace(COLORS, '') : text;
}
