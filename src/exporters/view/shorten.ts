import { counted, grouped } from '../../util/words.ts';
import { withoutLineEnds } from '../visible.ts';
import { cutAfter, cutBefore, type Words } from './words.ts';

export interface Limits {
  readonly headLines: number;
  readonly tailLines: number;
  readonly headCharacters: number;
  readonly tailCharacters: number;
}

/** What a reader wants of the output of a tool, and of a command that the user ran. */
export const OUTPUT: Limits = { headLines: 10, tailLines: 6, headCharacters: 1200, tailCharacters: 600 };

/** What was asked of a tool says more than what it answered. */
export const INPUT: Limits = { headLines: 60, tailLines: 20, headCharacters: 6000, tailCharacters: 2000 };

export interface Shortened {
  readonly text: string;
  /** Of the whole text. */
  readonly lines: number;
  readonly characters: number;
  readonly cut: boolean;
}

/** The beginning and the end of a long text, with a line between them that says what is missing. */
export function shorten(text: string, limits: Limits | undefined): Shortened {
  const lines = countLines(text);
  const characters = text.length;
  if (!limits) return { text, lines, characters, cut: false };
  const { headLines, tailLines, headCharacters, tailCharacters } = limits;
  if (lines <= headLines + tailLines && characters <= headCharacters + tailCharacters)
    return { text, lines, characters, cut: false };
  const head = cutBefore(firstLines(text, headLines), headCharacters);
  const tail = cutAfter(lastLines(text, tailLines), Math.min(tailCharacters, characters - head.length));
  const left = characters - head.length - tail.length;
  const leftLines = lines - countLines(head) - countLines(tail);
  const what =
    leftLines > 0 ? `${counted(leftLines, 'line')}, ${counted(left, 'character')}` : counted(left, 'character');
  return { text: `${withoutLineEnds(head)}\n[... ${what} left out ...]\n${tail}`, lines, characters, cut: true };
}

/** Whether a text may have to be shortened. Short ones, which are most, need no counting. */
export function isLong(text: string, { headLines, tailLines, headCharacters, tailCharacters }: Limits): boolean {
  // A line takes at least one character, its end.
  return text.length > Math.min(headLines + tailLines, headCharacters + tailCharacters);
}

/** '120 lines, 4,310 characters'. */
export function sizeOf({ lines, characters }: Pick<Shortened, 'lines' | 'characters'>): Words {
  return lines > 1
    ? [`${grouped(lines)} lines, ${counted(characters, 'character')}`]
    : [counted(characters, 'character')];
}

/** A newline at the end ends the last line and begins none. */
export function countLines(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

function firstLines(text: string, count: number): string {
  let at = -1;
  for (let line = 0; line < count; line++) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text;
  }
  return text.slice(0, at + 1);
}

function lastLines(text: string, count: number): string {
  let at = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let line = 0; line < count; line++) {
    if (at <= 0) return text;
    at = text.lastIndexOf('\n', at - 1);
    if (at < 0) return text;
  }
  return text.slice(at + 1);
}
