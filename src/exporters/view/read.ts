import { isObject, type JsonObject } from '../../entries/json-value.ts';

/** A member that is a string, else undefined: exports show what is there and complain about nothing. */
export function stringAt(value: JsonObject, key: string): string | undefined {
  const found = value[key];
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: JsonObject, key: string): number | undefined {
  const found = value[key];
  return typeof found === 'number' ? found : undefined;
}

export function objectAt(value: JsonObject, key: string): JsonObject | undefined {
  const found = value[key];
  return isObject(found) ? found : undefined;
}

export function stringsAt(value: JsonObject, key: string): readonly string[] {
  const found = value[key];
  return Array.isArray(found) ? found.filter((one): one is string => typeof one === 'string') : [];
}

/** JSON for reading; undefined stands for nothing to show. */
export function jsonText(value: unknown, indent = 2): string {
  try {
    return JSON.stringify(value, null, indent) ?? '';
  } catch (error) {
    if (error instanceof RangeError) return '(nested too deeply to be shown)';
    throw error;
  }
}

/** The members except those that were shown already, or undefined when none is left. */
export function remainder(value: JsonObject, shown: ReadonlySet<string>): JsonObject | undefined {
  const rest = Object.entries(value).filter(([key]) => !shown.has(key));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

const COLOURS = /\u001b\[[0-9;:]*m/g;

/** Output without its colours, which say nothing here. */
export function withoutColours(text: string): string {
  return text.includes('\u001b') ? text.replace(COLOURS, '') : text;
}
