import { escapeUnsafe } from './printable.ts';

/**
 * A value that came from JSON as JSON again. JSON.parse reads what is nested a hundred thousand levels deep, but
 * JSON.stringify runs out of stack on it; then it is written step by step.
 */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return steps(value);
  }
}

/** The same for records that we write: what a terminal must not get raw is an escape of JSON, in a pipe too. */
export function safeJson(value: unknown): string {
  return escapeUnsafe(toJson(value), unicodeEscape);
}

function unicodeEscape(character: string): string {
  let escaped = '';
  for (let at = 0; at < character.length; at++)
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return escaped;
}

const SHORT = 60;

/** The same for messages: no longer than a reader can take in. */
export function shortJson(value: unknown): string {
  const text = toJson(value);
  return text.length <= SHORT ? text : `${text.slice(0, SHORT)}...`;
}

interface Open {
  readonly items: Iterator<[key: string | number, value: unknown]>;
  readonly isArray: boolean;
  isFirst: boolean;
}

function steps(value: unknown): string {
  const parts: string[] = [];
  const stack: Open[] = [];
  const write = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) {
      parts.push(JSON.stringify(one) ?? 'null');
      return;
    }
    const isArray = Array.isArray(one);
    parts.push(isArray ? '[' : '{');
    stack.push({ items: isArray ? one.entries() : Object.entries(one)[Symbol.iterator](), isArray, isFirst: true });
  };
  write(value);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.items.next();
    if (next.done) {
      parts.push(top.isArray ? ']' : '}');
      stack.pop();
      continue;
    }
    const [key, item] = next.value;
    if (item === undefined && !top.isArray) continue;
    if (!top.isFirst) parts.push(',');
    top.isFirst = false;
    if (!top.isArray) parts.push(`${JSON.stringify(key)}:`);
    write(item);
  }
  return parts.join('');
}
