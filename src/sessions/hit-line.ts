import type { Io } from '../util/io.ts';
import { printable } from '../util/printable.ts';
import { toJson } from '../util/to-json.ts';
import type { Hit } from './grep.ts';

/** A hit as it is shown: where it is, and the text around the match on one line; or as JSON. */
export type HitLine =
  | string
  | { readonly place: string; readonly before: string; readonly found: string; readonly behind: string };

/** So much of a text is shown around a match. */
const BEFORE = 60;
const BEHIND = 100;

export function jsonLine(file: string, { line, id, speaker, tool, text, match }: Hit): HitLine {
  return toJson({ file, line, id, speaker, ...(tool ? { tool } : {}), text, ...(match ? { match } : {}) });
}

export function textLine(path: string, { line, speaker, tool, text, match }: Hit): HitLine {
  const mark = match ? ':' : '-';
  const place = `${path}${mark}${line}${mark} ${tool ? `${speaker} (${tool})` : speaker}: `;
  const [at, behind] = match ? [match.start, match.end] : [0, 0];
  const start = Math.max(0, at - BEFORE);
  const end = Math.min(text.length, behind + (match ? BEHIND : BEFORE + BEHIND));
  return {
    place,
    before: `${start > 0 ? '...' : ''}${onOneLine(text.slice(start, at))}`,
    found: onOneLine(text.slice(at, Math.min(behind, at + BEHIND))),
    behind: `${onOneLine(text.slice(behind, end))}${end < text.length ? '...' : ''}`,
  };
}

/** A copy: a piece of a text that waited to be printed would keep all of the text in memory. */
function onOneLine(text: string): string {
  return Buffer.from(text.replace(/\s+/g, ' ')).toString();
}

/** The line with colors, and for a terminal without what that would obey. */
export function painted(line: HitLine, { style, stdout }: Pick<Io, 'style' | 'stdout'>): string {
  if (typeof line === 'string') return line;
  const clean = stdout.isTTY ? printable : (text: string): string => text;
  const { place, before, found, behind } = line;
  return style.dim(clean(place)) + clean(before) + style.red(clean(found)) + clean(behind);
}
