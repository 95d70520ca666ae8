import type { Io, Paint } from '../util/io.ts';
import { printable } from '../util/printable.ts';
import { toJson } from '../util/to-json.ts';
import type { Hit } from './grep.ts';

/** How many characters are shown around a match. */
const BEFORE = 60;
const AFTER = 100;

/** How hits are shown, as plain data for other threads: the escape codes before and after a colored text. */
export interface HitStyle {
  /** Control characters are shown as escapes. */
  readonly isTerminal: boolean;
  readonly place: readonly string[];
  readonly found: readonly string[];
}

export function hitStyle({ style, stdout }: Pick<Io, 'style' | 'stdout'>): HitStyle {
  const around = (paint: Paint): readonly string[] => paint('\0').split('\0');
  return { isTerminal: stdout.isTTY === true, place: around(style.dim), found: around(style.red) };
}

export function jsonLine(file: string, { line, id, speaker, tool, text, match }: Hit): string {
  return `${toJson({ file, line, id, speaker, ...(tool ? { tool } : {}), text, ...(match ? { match } : {}) })}\n`;
}

/** Where a hit is, and the text around the match on one line. */
export function textLine(path: string, { line, speaker, tool, text, match }: Hit, style: HitStyle): string {
  const clean = (one: string): string => (style.isTerminal ? printable(one.toWellFormed()) : one);
  const painted = (one: string, [before, after]: readonly string[]): string =>
    one === '' ? '' : `${before}${clean(one)}${after}`;
  const mark = match ? ':' : '-';
  const place = `${path}${mark}${line}${mark} ${tool ? `${speaker} (${tool})` : speaker}: `;
  const [at, matchEnd] = match ? [match.start, match.end] : [0, 0];
  const start = Math.max(0, at - BEFORE);
  const end = Math.min(text.length, matchEnd + (match ? AFTER : BEFORE + AFTER));
  const found = onOneLine(text.slice(at, Math.min(matchEnd, at + AFTER)));
  const before = `${start > 0 ? '...' : ''}${clean(onOneLine(text.slice(start, at)))}`;
  const rest = `${clean(onOneLine(text.slice(matchEnd, end)))}${end < text.length ? '...' : ''}`;
  return `${painted(place, style.place)}${before}${painted(found, style.found)}${rest}\n`;
}

function onOneLine(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/g, ' ');
}
