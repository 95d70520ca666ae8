import { applySplices, removeMembers, type Splice, unquote } from '../json/text.ts';
import { type Frame, walkJson } from '../json/walk.ts';
import { decodeUtf8, encodeUtf8 } from '../lines/line.ts';
import { findImages } from './images.ts';

/** Longest string that the agents keep, in UTF-16 units. */
export const MAX_UNITS = 500_000;
export const NOTICE = '\n\n[Session persistence truncated large content]';
const KEPT_UNITS = MAX_UNITS - NOTICE.length;
const isTransient = (key: string): boolean => key === 'partialJson' || key === 'jsonlEvents';

/** A whole line without its `partialJson` and `jsonlEvents` members, at whatever depth. */
export function stripTransient(raw: string, from: number): { readonly raw: string; readonly changes: number } {
  if (!raw.includes('partialJson') && !raw.includes('jsonlEvents') && !raw.includes('\\u')) return { raw, changes: 0 };
  /** Where the objects with such members open. */
  const opens = new Set<number>();
  let changes = 0;
  const leave = (frame: Frame | undefined): void => {
    if (!frame || frame.array || !isTransient(frame.key)) return;
    changes++;
    opens.add(frame.start);
  };
  walkJson(raw, from, { string: leave, word: leave, close: ({ parent }) => leave(parent) });
  const splices: Splice[] = [];
  // From the outside in: what is inside such a member goes with it.
  for (const open of [...opens].sort((a, b) => a - b))
    if (!splices.some(({ start, end }) => start <= open && open < end))
      splices.push(...removeMembers(raw, open, isTransient));
  return { raw: applySplices(raw, splices), changes };
}

/** An object that is being walked through. */
interface OpenObject {
  /** How many splices there were when it opened. */
  readonly splices: number;
  /** A signed or encrypted block would be worthless if anything in it were cut. */
  sealed?: boolean;
  lineCount?: { readonly start: number; readonly end: number };
  /** The new text of `content`, where that is what was cut. */
  content?: string;
}

/** A whole line with its strings over 500,000 UTF-16 units cut as the agents cut them; never the data of an image. */
export function truncateStrings(raw: string, from: number): { readonly raw: string; readonly cuts: number } {
  // A unit takes a byte at least.
  if (raw.length <= MAX_UNITS) return { raw, cuts: 0 };
  const images = new Set<number>();
  findImages(raw, from, (image) => images.add(image.start));
  const splices: Splice[] = [];
  const scopes: OpenObject[] = [];
  walkJson(raw, from, {
    open: (frame) => {
      if (!frame.array) scopes.push({ splices: splices.length });
    },
    string: (frame, start, end) => {
      const scope = frame.array ? undefined : scopes.at(-1);
      if (scope && isSeal(frame.key, raw.slice(start, Math.min(end, start + 64)))) scope.sealed = true;
      if (end - start - 2 <= MAX_UNITS || images.has(start)) return;
      const cut = cutString(decodeUtf8(raw.slice(start, end)));
      if (cut === undefined) return;
      splices.push({ start, end, text: encodeUtf8(cut) });
      if (scope && frame.key === 'content') scope.content = cut;
    },
    word: (frame, start, end) => {
      const scope = scopes.at(-1);
      if (scope && !frame.array && frame.key === 'lineCount' && /[-\d]/.test(raw.charAt(start)))
        scope.lineCount = { start, end };
    },
    close: (frame) => {
      const scope = frame.array ? undefined : scopes.pop();
      if (scope?.sealed) splices.length = scope.splices;
      else if (scope?.content !== undefined && scope.lineCount)
        splices.push({ ...scope.lineCount, text: String(unquote(scope.content).split('\n').length) });
    },
  });
  return { raw: applySplices(raw, splices), cuts: splices.filter(({ start }) => raw.charAt(start) === '"').length };
}

function isSeal(key: string, quoted: string): boolean {
  if (/signature|encrypted/i.test(key)) return quoted !== '""';
  return key === 'type' && quoted.length < 64 && /^redacted(?:T|_t)hinking$/.test(unquote(quoted));
}

/** A JSON string, quotes included, cut so that it has 500,000 units at most; undefined where it has already. */
function cutString(quoted: string): string | undefined {
  // No unit takes more than the six characters of an escape.
  const units =
    quoted
      .slice(1, -1)
      .slice(0, 6 * (MAX_UNITS + 1))
      .match(/\\u.{4}|\\?./gs) ?? [];
  if (units.length <= MAX_UNITS) return undefined;
  const isHalf = (at: number, half: RegExp): boolean => half.test(JSON.parse(`"${units[at]}"`) as string);
  // Never between the two halves of a character.
  const splits = isHalf(KEPT_UNITS - 1, /[\ud800-\udbff]/) && isHalf(KEPT_UNITS, /[\udc00-\udfff]/);
  const kept = units.slice(0, splits ? KEPT_UNITS - 1 : KEPT_UNITS).join('');
  return `"${kept}${JSON.stringify(NOTICE).slice(1)}`;
}
