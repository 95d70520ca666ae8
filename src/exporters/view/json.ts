import { markNumbers, unmarkNumbers } from '../../json/exact.ts';
import { isObject, type JsonObject, parseObject } from '../../json/value.ts';
import type { Frame } from '../../json/walk.ts';

/** The members except those that were shown already, or undefined when none is left. */
export function remainder(value: JsonObject, shown: readonly string[]): JsonObject | undefined {
  const rest = Object.entries(value).filter(([key]) => !shown.includes(key));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** JSON for reading; nothing for undefined. */
export function jsonText(value: unknown, indent = 2): string {
  try {
    return unmarkNumbers(JSON.stringify(value, null, indent) ?? '');
  } catch (error) {
    if (error instanceof RangeError) return '(nested too deeply to show)';
    throw error;
  }
}

/** What may hold anything, and is shown as JSON. All other numbers are counted with and stay numbers. */
const PAYLOADS: readonly string[] = ['arguments', 'input', 'data', 'details', 'preserveData', 'outputSchema', 'block'];

/**
 * Numbers too large for JSON.parse, such as ids of 20 digits, would be shown as others. Where there are some, the entry
 * is read again with those numbers as marked texts, and `jsonText` writes them as they were.
 */
export function withExactNumbers({ value, text }: { readonly value: JsonObject; readonly text?: string }): JsonObject {
  if (text === undefined || !hasUnsafeNumber(value)) return value;
  const marked = markNumbers(text, (raw, frame) => isUnsafe(Number(raw)) && isPayload(frame));
  return (marked === text ? undefined : parseObject(marked)) ?? value;
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
