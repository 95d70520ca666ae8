import { applySplices, type Splice } from '../../json/text.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { type Frame, walkJson } from '../../json/walk.ts';

/** The value if it is a string, else undefined: exports show what is there and complain about nothing. */
export function stringOf(found: unknown): string | undefined {
  return typeof found === 'string' ? found : undefined;
}

/** The members except those that were shown already, or undefined when none is left. */
export function remainder(value: JsonObject, shown: readonly string[]): JsonObject | undefined {
  const rest = Object.entries(value).filter(([key]) => !shown.includes(key));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** JSON for reading; nothing for undefined. */
export function jsonText(value: unknown, indent = 2): string {
  try {
    const text = JSON.stringify(value, null, indent) ?? '';
    return text.replace(/"\\u0000number:(-?[0-9][0-9.eE+-]*)"/g, '$1');
  } catch (error) {
    if (error instanceof RangeError) return '(nested too deeply to show)';
    throw error;
  }
}

/**
 * Numbers too large for JSON.parse, such as ids of 20 digits, would be shown as others. Where there are some, the entry
 * is read again with those numbers as marked texts, and `jsonText` writes them as they were.
 */
export const EXACT_MARK = '\u0000number:';

/** What may hold anything, and is shown as JSON. All other numbers are counted with and stay numbers. */
const PAYLOADS: readonly string[] = ['arguments', 'input', 'data', 'details', 'preserveData', 'outputSchema', 'block'];

export function withExactNumbers({ value, text }: { readonly value: JsonObject; readonly text?: string }): JsonObject {
  if (text === undefined || !hasUnsafeNumber(value)) return value;
  const splices: Splice[] = [];
  walkJson(text, 0, {
    word: (frame, start, end) => {
      const raw = text.slice(start, end);
      if (isUnsafe(Number(raw)) && isPayload(frame))
        splices.push({ start, end, text: JSON.stringify(EXACT_MARK + raw) });
    },
  });
  const exact: unknown = splices.length === 0 ? value : JSON.parse(applySplices(text, splices));
  return isObject(exact) ? exact : value;
}

/** Without recursion: a log may be nested as deeply as it likes. */
function hasUnsafeNumber(value: JsonObject): boolean {
  const { message } = value;
  // All payloads of a message are in these.
  const waiting = [isObject(message) ? { content: message['content'], details: message['details'] } : value];
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    for (const key in one) {
      const inner = one[key];
      if (typeof inner === 'object' && inner !== null) waiting.push(inner as JsonObject);
      else if (typeof inner === 'number' && isUnsafe(inner)) return true;
    }
  }
  return false;
}

function isUnsafe(value: number): boolean {
  return Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** Whether the outermost key that decides is that of a payload. */
function isPayload(frame: Frame): boolean {
  let found = false;
  for (let at: Frame | undefined = frame; at; at = at.parent)
    if (!at.array && (at.key === 'usage' || PAYLOADS.includes(at.key))) found = at.key !== 'usage';
  return found;
}
