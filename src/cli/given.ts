import type { Given } from '../commands/command.ts';

/** What was typed, by option name: true, a text, or a list of them where an option was repeated. */
export type Typed = Readonly<Record<string, unknown>>;

export function makeGiven(operands: readonly string[], typed: Typed): Given {
  return {
    operands,
    flag: (name) => lastOf(typed[name]) === true,
    text: (name) => {
      const value = lastOf(typed[name]);
      return typeof value === 'string' ? value : undefined;
    },
    texts: (name) => asTexts(typed[name]),
    number: (name) => {
      const value = lastOf(typed[name]);
      return typeof value === 'string' ? Number(value) : undefined;
    },
  };
}

export function asTexts(value: unknown): string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

function lastOf(value: unknown): unknown {
  return Array.isArray(value) ? value.at(-1) : value;
}
