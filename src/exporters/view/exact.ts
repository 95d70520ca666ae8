import { applySplices, type Splice } from '../../json/text.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import { type Frame, walkJson } from '../../json/walk.ts';

/**
 * Numbers too large for JSON.parse, such as ids of 20 digits, would be shown as others. Where there are some, the entry
 * is read again with those numbers as marked texts, and `jsonText` writes them as they stood.
 */
export const EXACT_MARK = '\u0000number:';

/** What may hold anything, and is shown as JSON. All other numbers are counted with and stay numbers. */
const PAYLOADS: ReadonlySet<string> = new Set([
  'arguments',
  'input',
  'data',
  'details',
  'preserveData',
  'outputSchema',
  'block',
]);

export function withExactNumbers(entry: { readonly value: JsonObject; readonly text?: string }): JsonObject {
  const { value, text } = entry;
  if (text === undefined || !payloadsOf(value).some(hasUnsafeNumber)) return value;
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

function payloadsOf(entry: JsonObject): unknown[] {
  const { message } = entry;
  if (!isObject(message)) return [entry];
  const { content, details } = message;
  const found: unknown[] = details === undefined ? [] : [details];
  if (message['role'] !== 'assistant' || !Array.isArray(content)) return found;
  for (const block of content)
    if (isObject(block) && block['type'] !== 'text') found.push(block['arguments'] ?? block['input'] ?? block['block']);
  return found;
}

/** Without recursion: a log may be nested as deeply as it likes. */
function hasUnsafeNumber(value: unknown): boolean {
  const waiting = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one === 'number') {
      if (isUnsafe(one)) return true;
    } else if (typeof one === 'object' && one !== null) {
      for (const inner of Object.values(one))
        if (typeof inner === 'number' || typeof inner === 'object') waiting.push(inner);
    }
  }
  return false;
}

function isUnsafe(value: number): boolean {
  return Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

function isPayload(frame: Frame): boolean {
  for (let at: Frame | undefined = frame; at; at = at.parent) if (!at.array && PAYLOADS.has(at.key)) return true;
  return false;
}
