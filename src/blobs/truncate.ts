import { applySplices, type Splice, unquote } from '../json/text.ts';
import { type Frame, walkJson } from '../json/walk.ts';
import { decodeUtf8, encodeUtf8 } from '../lines/line.ts';
import { findImages } from './images.ts';

/** Longest string that the agents keep, in UTF-16 units. */
export const MAX_UNITS = 500_000;
export const NOTICE = '\n\n[Session persistence truncated large content]';
const KEPT_UNITS = MAX_UNITS - NOTICE.length;
const TRANSIENT: ReadonlySet<string> = new Set(['partialJson', 'jsonlEvents']);
const ENCRYPTED_TYPES: ReadonlySet<string> = new Set(['redactedThinking', 'redacted_thinking']);
const SEALED_KEY = /signature|encrypted/i;

export interface Stripped {
  readonly raw: string;
  readonly changes: number;
}

/** A whole line without its `partialJson` and `jsonlEvents` members, at whatever depth. */
export function stripTransient(raw: string, from: number): Stripped {
  if (!raw.includes('partialJson') && !raw.includes('jsonlEvents') && !raw.includes('\\u')) return { raw, changes: 0 };
  const splices: Splice[] = [];
  const keptEnds: (number | undefined)[] = [];
  let changes = 0;
  const leave = (frame: Frame, end: number): void => {
    if (frame.array) return;
    if (!TRANSIENT.has(frame.key)) {
      keptEnds[keptEnds.length - 1] = end;
      return;
    }
    changes++;
    const next = /[ \t\r\n]*,[ \t\r\n]*/y;
    next.lastIndex = end;
    const comma = next.exec(raw);
    // A member goes with the comma behind it; the last one with the comma before it.
    const start = comma ? frame.keyStart : (keptEnds.at(-1) ?? frame.keyStart);
    while ((splices.at(-1)?.start ?? -1) >= start) splices.pop();
    splices.push({ start, end: comma ? next.lastIndex : end, text: '' });
  };
  walkJson(raw, from, {
    open: (frame) => {
      if (!frame.array) keptEnds.push(undefined);
    },
    string: (frame, _start, end) => leave(frame, end),
    word: (frame, _start, end) => leave(frame, end),
    close: (frame, end) => {
      if (!frame.array) keptEnds.pop();
      if (frame.parent) leave(frame.parent, end);
    },
  });
  return { raw: applySplices(raw, splices), changes };
}

interface Scope {
  /** How many cuts and counts there were when the object opened. */
  readonly cuts: number;
  readonly counts: number;
  sealed: boolean;
  lineCount: { readonly start: number; readonly end: number } | undefined;
  /** The new text of `content`, where that is what was cut. */
  content: string | undefined;
}

/**
 * A whole line with its strings over 500,000 UTF-16 units cut as the agents cut them. A signed or encrypted block would
 * be worthless afterwards and is never cut, nor is the data of an image.
 */
export function truncateStrings(raw: string, from: number): { readonly raw: string; readonly cuts: number } {
  // A unit takes a byte at least.
  if (raw.length <= MAX_UNITS) return { raw, cuts: 0 };
  const images = new Set<number>();
  findImages(raw, from, (image) => images.add(image.start));
  const cuts: Splice[] = [];
  const counts: Splice[] = [];
  const scopes: Scope[] = [];
  walkJson(raw, from, {
    open: (frame) => {
      if (!frame.array)
        scopes.push({
          cuts: cuts.length,
          counts: counts.length,
          sealed: false,
          lineCount: undefined,
          content: undefined,
        });
    },
    string: (frame, start, end) => {
      const scope = scopes.at(-1);
      if (!frame.array && scope) {
        if (SEALED_KEY.test(frame.key) && end - start > 2) scope.sealed = true;
        if (frame.key === 'type' && end - start < 64 && ENCRYPTED_TYPES.has(unquote(raw.slice(start, end))))
          scope.sealed = true;
      }
      if (end - start - 2 <= MAX_UNITS || images.has(start)) return;
      const cut = cutString(decodeUtf8(raw.slice(start, end)));
      if (cut === undefined) return;
      cuts.push({ start, end, text: encodeUtf8(cut) });
      if (!frame.array && scope && frame.key === 'content') scope.content = cut;
    },
    word: (frame, start, end) => {
      const scope = scopes.at(-1);
      if (!frame.array && scope && frame.key === 'lineCount' && /^[-\d]/.test(raw.slice(start, end)))
        scope.lineCount = { start, end };
    },
    close: (frame) => {
      if (frame.array) return;
      const scope = scopes.pop();
      if (!scope) return;
      if (scope.sealed) {
        cuts.length = scope.cuts;
        counts.length = scope.counts;
      } else if (scope.content !== undefined && scope.lineCount) {
        counts.push({ ...scope.lineCount, text: String((JSON.parse(scope.content) as string).split('\n').length) });
      }
    },
  });
  return { raw: applySplices(raw, [...cuts, ...counts]), cuts: cuts.length };
}

/** A JSON string, quotes included, cut so that it stands for 500,000 units at most; undefined where it does already. */
function cutString(quoted: string): string | undefined {
  let units = 0;
  let at = 1;
  let cutAt = -1;
  let before = 0;
  const end = quoted.length - 1;
  while (at < end) {
    const start = at;
    let code = quoted.charCodeAt(at);
    if (code === 0x5c) {
      const unicode = quoted.charCodeAt(at + 1) === 0x75;
      code = unicode ? Number.parseInt(quoted.slice(at + 2, at + 6), 16) : 0;
      at += unicode ? 6 : 2;
    } else at++;
    if (units === KEPT_UNITS) {
      // Never between the two halves of a character.
      const splits = isHigh(before) && code >= 0xdc00 && code <= 0xdfff;
      cutAt = splits ? start - (quoted.charCodeAt(start - 1) === before ? 1 : 6) : start;
    }
    units++;
    before = code;
    if (units > MAX_UNITS) return `${quoted.slice(0, cutAt)}${JSON.stringify(NOTICE).slice(1)}`;
  }
  return undefined;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
