import { escapeUnsafe, jsonEscape } from './printable.ts';

/** JSON of any depth: JSON.stringify overflows the stack on values that JSON.parse can read. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return stepByStep(value);
  }
}

/** The same with unsafe characters escaped, for records that we print, in a pipe too. */
export function safeJson(value: unknown): string {
  return escapeUnsafe(toJson(value), jsonEscape);
}

const SHORT = 60;

/** The same, shortened for messages. */
export function shortJson(value: unknown): string {
  const text = toJson(value);
  return text.length <= SHORT ? text : `${text.slice(0, SHORT)}...`;
}

function stepByStep(value: unknown): string {
  const parts: string[] = [];
  /** What is still to be written, the next at the end: values, and JSON text between them. */
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
