import { escapeUnsafe, jsonEscape } from './printable.ts';

/** A value as JSON, however deep: JSON.stringify runs out of stack on what JSON.parse could read. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return stepByStep(value);
  }
}

/** The same for records that we write: what a terminal must not get raw is an escape of JSON, in a pipe too. */
export function safeJson(value: unknown): string {
  return escapeUnsafe(toJson(value), jsonEscape);
}

const SHORT = 60;

/** The same for messages: no longer than a reader can take in. */
export function shortJson(value: unknown): string {
  const text = toJson(value);
  return text.length <= SHORT ? text : `${text.slice(0, SHORT)}...`;
}

function stepByStep(value: unknown): string {
  const parts: string[] = [];
  /** What is still to be written, the next at the end: values, and pieces of JSON text between them. */
  const stack: { readonly text?: string; readonly value?: unknown }[] = [{ value }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { text, value: one } = next;
    if (text !== undefined) parts.push(text);
    else if (typeof one !== 'object' || one === null) parts.push(JSON.stringify(one) ?? 'null');
    else {
      const isArray = Array.isArray(one);
      const items = Object.entries(one).filter(([, item]) => isArray || item !== undefined);
      parts.push(isArray ? '[' : '{');
      stack.push({ text: isArray ? ']' : '}' });
      for (const [at, [key, item]] of [...items.entries()].reverse())
        stack.push({ value: item }, { text: `${at > 0 ? ',' : ''}${isArray ? '' : `${JSON.stringify(key)}:`}` });
    }
  }
  return parts.join('');
}
