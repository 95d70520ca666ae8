import { counted, grouped } from '../util/words.ts';
import type { AnchorOf, ExportedBranch, Omitted, RichText } from './exporter.ts';

const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** Control characters as pictures of themselves, so that no viewer acts on them. Tabs and line ends stay. */
export function visible(text: string): string {
  if (!CONTROL.test(text)) return text;
  return text.replace(new RegExp(CONTROL, 'g'), (control) => {
    const code = control.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });
}

/** One kind of line end, because CommonMark and HTML take a lone carriage return for one too. */
export function lineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

export function withoutLineEnds(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };

/** Text that is safe between tags and inside double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&${ESCAPES[mark]};`);
}

/** The first line of a text, cut where it is too long for a title or a note. */
export function oneLine(text: string, longest = 160): string {
  const start = text.slice(0, longest * 4).trimStart();
  const end = start.search(/[\r\n]/);
  const line = end < 0 ? start : start.slice(0, end).trimEnd();
  return line.length > longest ? `${cutBefore(line, longest - 1)}…` : line;
}

/** The first characters, never half of a surrogate pair. */
function cutBefore(text: string, length: number): string {
  const isHalf = length < text.length && /[\ud800-\udbff]/.test(text[length - 1] ?? '');
  return text.slice(0, isHalf ? length - 1 : length);
}

/** The last characters, never half of a surrogate pair. */
function cutAfter(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return text.slice(start > 0 && /[\udc00-\udfff]/.test(text[start] ?? '') ? start + 1 : start);
}

/** What a reader wants of the output of a tool, and of a command that the user ran. */
export const OUTPUT = { headLines: 10, tailLines: 6, headCharacters: 1200, tailCharacters: 600 };
/** What was asked of a tool says more than what it answered. */
export const INPUT: typeof OUTPUT = { headLines: 60, tailLines: 20, headCharacters: 6000, tailCharacters: 2000 };

export interface Shortened {
  readonly text: string;
  /** Of the whole text. */
  readonly lines: number;
  readonly characters: number;
  readonly cut: boolean;
  readonly omitted?: Omitted;
}

/** The beginning and the end of a long text, with a line between them that says what is missing. */
export function shorten(text: string, limits: typeof OUTPUT | undefined): Shortened {
  const whole = { text, lines: countLines(text), characters: text.length, cut: false };
  if (!limits) return whole;
  const { lines, characters } = whole;
  const { headLines, tailLines, headCharacters, tailCharacters } = limits;
  if (lines <= headLines + tailLines && characters <= headCharacters + tailCharacters) return whole;
  const head = cutBefore(firstLines(text, headLines), headCharacters);
  const tail = cutAfter(lastLines(text, tailLines), Math.min(tailCharacters, characters - head.length));
  const left = counted(characters - head.length - tail.length, 'character');
  const leftLines = lines - countLines(head) - countLines(tail);
  const size = leftLines > 0 ? `${counted(leftLines, 'line')}, ${left}` : left;
  const omitted = { head, middle: text.slice(head.length, characters - tail.length), tail, size };
  const short = `${withoutLineEnds(head)}\n[... ${size} left out ...]\n${tail}`;
  return { text: short, lines, characters, cut: true, omitted };
}

/** '120 lines, 4,310 characters'. */
export function sizeOf({ lines, characters }: Shortened): string {
  return `${lines > 1 ? `${grouped(lines)} lines, ` : ''}${counted(characters, 'character')}`;
}

/** A newline at the end ends the last line and begins none. */
function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

function firstLines(text: string, count: number): string {
  let end = 0;
  for (let line = 0; line < count; line++) {
    end = text.indexOf('\n', end) + 1;
    if (end === 0) return text;
  }
  return text.slice(0, end);
}

function lastLines(text: string, count: number): string {
  let start = text.endsWith('\n') ? text.length : text.length + 1;
  for (let line = 0; line < count && start > 0; line++) start = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
  return text.slice(start);
}

/** How an exporter writes each kind of word. */
export interface WordStyle {
  readonly own: (text: string) => string;
  readonly code: (text: string) => string;
  readonly plain: (text: string) => string;
  readonly link: (text: string, anchor: string) => string;
}

export function renderWords(words: RichText, { own, code, plain, link }: WordStyle, anchorOf: AnchorOf): string {
  let line = '';
  for (const word of words) {
    if (typeof word === 'string') line += own(word);
    else if ('code' in word) line += code(word.code);
    else if ('plain' in word) line += plain(word.plain);
    else {
      const id = oneLine(word.entry, 80);
      const anchor = anchorOf(word.entry);
      line += anchor === undefined ? code(id) : link(id, anchor);
    }
  }
  return line;
}

/** Where a branch comes from. */
export function branchStart({ fromEntry, isCut }: ExportedBranch): RichText {
  if (fromEntry !== undefined) return ['continues from ', { entry: fromEntry }];
  return [isCut ? 'starts at an entry whose parent is not in the log' : 'starts at a root'];
}
