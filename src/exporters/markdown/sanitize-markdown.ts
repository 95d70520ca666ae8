import { lineEnds, visible, withoutLineEnds } from '../visible.ts';
import { longestRun } from './fence.ts';
import { needsWork, sanitizeLine } from './inline.ts';

/**
 * Markdown that a user or a model wrote, made such that it reads as it was meant and cannot reach beyond its place: code
 * blocks are written anew with fences of our own at the left edge, always closed; headings are below those of the
 * export; underlines make no headings; every other line goes through `sanitizeLine`. What is ambiguous loses its looks,
 * never its place.
 */
export function sanitizeMarkdown(markdown: string): string {
  const text = visible(lineEnds(markdown));
  if (isProse(text)) return withoutLineEnds(text);
  const scan = new Scan(headingShift(text));
  let start = 0;
  for (;;) {
    const end = text.indexOf('\n', start);
    if (end < 0) break;
    scan.line(text.slice(start, end), text, end + 1);
    start = end + 1;
  }
  scan.line(text.slice(start), text, text.length);
  return scan.end();
}

/** Whether there are only words from the first character of each line on, and at most one blank line between them: they stay as they are. */
function isProse(text: string): boolean {
  let afterBlank = true;
  for (let start = 0; start < text.length; ) {
    const first = text.charCodeAt(start);
    if (first === NEWLINE) {
      if (afterBlank) return false;
      afterBlank = true;
      start++;
      continue;
    }
    if (isSpaceAt(text, start) || MARKS.has(first)) return false;
    afterBlank = false;
    const end = text.indexOf('\n', start);
    start = end < 0 ? text.length : end + 1;
  }
  return !needsWork(text);
}

const NEWLINE = 0x0a;
/** Headings of the export itself are of the levels 1 and 2. */
const HIGHEST_HEADING = 3;
const ANY_HEADING = /^[ \t>]*(#{1,6})[ \t]/gm;

/** How far the headings of a text move down, so that its highest comes right below those of the export. */
function headingShift(text: string): number {
  if (!text.includes('#')) return 0;
  let highest = HIGHEST_HEADING;
  for (const [, marks = ''] of text.matchAll(ANY_HEADING)) highest = Math.min(highest, marks.length);
  return HIGHEST_HEADING - highest;
}

interface OpenFence {
  readonly tick: string;
  readonly length: number;
  readonly indent: number;
  /** Inside a quotation, which then ends the code too. */
  readonly quoted: boolean;
  readonly info: string;
  readonly lines: string[];
}

const FENCE = /^(\s*)(`{3,}|~{3,})(.*)$/;
const QUOTED_FENCE = /^ {0,3}> ?( {0,3})(`{3,}|~{3,})(.*)$/;
const LISTED_FENCE = /^(\s*(?:[-+*]|\d{1,9}[.)])[ \t]+)(`{3,}|~{3,})(.*)$/;
const QUOTE_MARK = /^ {0,3}> ?/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const UNDERLINE = /^(?:-+|=+)[ \t]*$/;
const CONTAINER = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))[ \t]*/y;
const HEADING = /^#{1,6}(?=[ \t]|$)/;
/** What may stand in such a row, marks of lists and quotations before it included. */
const DELIMITERS: ReadonlySet<number> = new Set(
  Array.from('|: \t>+*.)0123456789', (character) => character.charCodeAt(0)),
);

/** What a line can begin with that is more than words. */
const MARKS: ReadonlySet<number> = new Set(Array.from('`~>-+*_=#0123456789', (character) => character.charCodeAt(0)));

class Scan {
  readonly #shift: number;
  #out = '';
  #fence: OpenFence | undefined;
  #indented: string[] | undefined;
  #afterBlank = true;
  #inList = false;
  #inTable = false;
  /** How far lines after a code block stood in a list item that the block has ended. */
  #dedent = 0;

  constructor(shift: number) {
    this.#shift = shift;
  }

  line(line: string, text: string, next: number): void {
    if (this.#fence && this.#inside(this.#fence, line)) return;
    if (this.#indented && this.#goesOnIndented(this.#indented, line)) return;
    let at = 0;
    while (isSpaceAt(line, at)) at++;
    if (at === line.length) {
      this.#blank();
      return;
    }
    const marked = MARKS.has(line.charCodeAt(at));
    if (marked && this.#opensFence(line)) return;
    if (this.#afterBlank && !this.#inList && isIndented(line)) {
      this.#indented = [line];
      return;
    }
    this.#plain(line, text, next, marked);
  }

  end(): string {
    if (this.#fence) this.#closeFence(this.#fence);
    if (this.#indented) this.#closeIndented(this.#indented);
    return withoutLineEnds(this.#out);
  }

  #blank(): void {
    if (!this.#afterBlank) this.#out += '\n';
    this.#afterBlank = true;
    this.#inTable = false;
  }

  /** False where the line does not belong to the code any more. */
  #inside(fence: OpenFence, line: string): boolean {
    let content = line;
    if (fence.quoted) {
      const mark = QUOTE_MARK.exec(line);
      if (!mark) {
        this.#closeFence(fence);
        return false;
      }
      content = line.slice(mark[0].length);
    }
    if (closes(fence, content)) this.#closeFence(fence);
    else fence.lines.push(withoutIndent(content, fence.indent));
    return true;
  }

  #goesOnIndented(lines: string[], line: string): boolean {
    if (!isBlank(line) && !isIndented(line)) {
      this.#closeIndented(lines);
      return false;
    }
    lines.push(line);
    return true;
  }

  #opensFence(line: string): boolean {
    if (!line.includes('```') && !line.includes('~~~')) return false;
    const plain = FENCE.exec(line);
    if (plain) {
      const indent = columns(plain[1] ?? '');
      return (indent <= 3 || this.#inList) && this.#startFence(plain[2] ?? '', plain[3] ?? '', indent, false);
    }
    const quoted = QUOTED_FENCE.exec(line);
    if (quoted) return this.#startFence(quoted[2] ?? '', quoted[3] ?? '', columns(quoted[1] ?? ''), true);
    const listed = LISTED_FENCE.exec(line);
    if (!listed || !isInfo(listed[2] ?? '', listed[3] ?? '')) return false;
    const mark = listed[1] ?? '';
    this.#inList = true;
    // Under a line of text a lone dash would make a heading of it.
    this.#blank();
    this.#out += `${mark.trim()}\n`;
    this.#afterBlank = false;
    return this.#startFence(listed[2] ?? '', listed[3] ?? '', columns(mark), false);
  }

  #startFence(run: string, info: string, indent: number, quoted: boolean): boolean {
    if (!isInfo(run, info)) return false;
    // The fence is written with backticks, among which its text may have none.
    const text = info.trim().replaceAll('`', '&#96;');
    this.#fence = { tick: run.charAt(0), length: run.length, indent, quoted, info: text, lines: [] };
    return true;
  }

  #closeFence(fence: OpenFence): void {
    this.#fence = undefined;
    this.#code(fence.info, fence.lines, fence.quoted ? '> ' : '');
    this.#dedent = this.#inList ? fence.indent : 0;
  }

  #closeIndented(lines: string[]): void {
    this.#indented = undefined;
    while (isBlank(lines.at(-1) ?? 'x')) lines.pop();
    this.#code(
      '',
      lines.map((line) => withoutIndent(line, 4)),
      '',
    );
  }

  #code(info: string, lines: readonly string[], prefix: string): void {
    this.#blank();
    let longest = 2;
    for (const line of lines) longest = Math.max(longest, longestRun(line));
    const fence = '`'.repeat(longest + 1);
    this.#out += `${prefix}${fence}${info}\n`;
    for (const line of lines) this.#out += `${prefix}${line}\n`;
    this.#out += `${prefix}${fence}\n\n`;
    this.#afterBlank = true;
  }

  #plain(original: string, text: string, next: number, marked: boolean): void {
    let line = original;
    if (this.#dedent > 0) {
      const short = withoutIndent(line, this.#dedent);
      if (line.length - short.length < this.#dedent) this.#dedent = 0;
      line = short;
    }
    if (marked && RULE.test(line)) {
      this.#blank();
      this.#out += '***\n\n';
      this.#afterBlank = true;
      this.#inList = false;
      return;
    }
    const first = line.charCodeAt(0);
    if (this.#afterBlank && first !== 0x20 && first !== 0x09) this.#inList = false;
    if (!this.#inTable && isDelimiterRow(text, next)) this.#inTable = true;
    this.#out += `${marked ? this.#sanitized(line) : sanitizeLine(line, this.#inTable)}\n`;
    this.#afterBlank = false;
  }

  #sanitized(line: string): string {
    let at = 0;
    for (;;) {
      const rest = at === 0 ? line.trimStart() : line.slice(at);
      if (UNDERLINE.test(rest)) {
        const mark = line.length - rest.length;
        return `${line.slice(0, mark)}${rest.startsWith('-') ? '&#45;' : '&#61;'}${rest.slice(1)}`;
      }
      CONTAINER.lastIndex = at;
      const match = CONTAINER.exec(line);
      if (!match) break;
      if (!match[0].includes('>')) this.#inList = true;
      at = CONTAINER.lastIndex;
    }
    while (isSpaceAt(line, at)) at++;
    const prefix = line.slice(0, at);
    let rest = line.slice(at);
    const heading = HEADING.exec(rest);
    if (heading) {
      // A mark that stands deeper in lists and quotations may be higher than those that were looked at.
      const level = Math.max(HIGHEST_HEADING, Math.min(6, heading[0].length + this.#shift));
      return `${prefix}${'#'.repeat(level)}${sanitizeLine(rest.slice(heading[0].length), false)}`;
    }
    if (rest.startsWith('~~~')) {
      const run = /^~+/.exec(rest)?.[0] ?? '';
      rest = rest.slice(run.length);
      return `${prefix}${'&#126;'.repeat(run.length)}${sanitizeLine(rest, this.#inTable)}`;
    }
    return prefix + sanitizeLine(rest, this.#inTable);
  }
}

function isSpaceAt(line: string, at: number): boolean {
  const code = line.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}

function isBlank(line: string): boolean {
  for (let at = 0; at < line.length; at++) if (!isSpaceAt(line, at)) return false;
  return true;
}

function isIndented(line: string): boolean {
  if (!isSpaceAt(line, 0)) return false;
  return line.startsWith('    ') || /^ {0,3}\t/.test(line);
}

/** How far a text of blanks and marks reaches, tabs counted to the next column of four. */
function columns(text: string): number {
  let column = 0;
  for (let at = 0; at < text.length; at++)
    column = text.charCodeAt(at) === 0x09 ? column + 4 - (column % 4) : column + 1;
  return column;
}

/** The line without so many columns of white space at its start, or as many as it has. */
function withoutIndent(line: string, indent: number): string {
  let column = 0;
  let at = 0;
  while (column < indent && isSpaceAt(line, at)) {
    column = line.charCodeAt(at) === 0x09 ? column + 4 - (column % 4) : column + 1;
    at++;
  }
  return at === 0 ? line : ' '.repeat(Math.max(0, column - indent)) + line.slice(at);
}

function isInfo(run: string, info: string): boolean {
  return !run.startsWith('`') || !info.includes('`');
}

function closes(fence: OpenFence, line: string): boolean {
  const trimmed = line.trim();
  if (trimmed.length < fence.length || trimmed.charAt(0) !== fence.tick) return false;
  for (let at = 0; at < trimmed.length; at++) if (trimmed.charAt(at) !== fence.tick) return false;
  const indent = line.length - line.trimStart().length;
  return indent <= fence.indent + 3;
}

/** Whether the line from here on makes a table of the line before it. */
function isDelimiterRow(text: string, start: number): boolean {
  let hasDash = false;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a) break;
    if (code === 0x2d) hasDash = true;
    else if (!DELIMITERS.has(code)) return false;
  }
  return hasDash;
}
