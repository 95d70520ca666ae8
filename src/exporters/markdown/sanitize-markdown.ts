import { lineEnds, visible, withoutLineEnds } from '../text.ts';
import { NEEDS_WORK, sanitizeLine } from './inline.ts';
import { fenceFor } from './text.ts';

/** Anything but words from the first character of each line on, with at most one blank line between them. */
const MORE_THAN_PROSE = /^[\n \t~>\-+*_=#0-9]|\n(?:[ \t~>\-+*_=#0-9]|\n\n)/;
/** Headings of the export itself are of the levels 1 and 2. */
const HIGHEST_HEADING = 3;

/**
 * Markdown that a user or a model wrote, made such that it reads as it was meant and cannot reach beyond its place:
 * code blocks are written anew with fences of our own at the left edge, always closed; headings are below those of the
 * export; underlines make no headings; every other line goes through `sanitizeLine`. What is ambiguous loses its looks,
 * never its place.
 */
export function sanitizeMarkdown(markdown: string): string {
  const text = visible(lineEnds(markdown));
  return withoutLineEnds(NEEDS_WORK.test(text) || MORE_THAN_PROSE.test(text) ? new Sanitizer(text).run() : text);
}

const BLANK = /^[ \t]*$/;
const FENCE = /^(?:([ \t]*)|( {0,3}> ?)( {0,3})|([ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+))(`{3,}(?!`)(?!.*`)|~{3,})(.*)$/;
const QUOTE_MARK = /^ {0,3}> ?/;
const INDENTED = /^(?: {4}| {0,3}\t)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const UNDERLINE = /(?:-+|=+)[ \t]*$/y;
const CONTAINER = /(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))[ \t]*/y;
const HEADING = /^#{1,6}(?=[ \t]|$)/;
/** The line that makes a table of the one before it, marks of lists and quotations before it included. */
const DELIMITER_ROW = /^[|: \t>+*.)\d]*-[-|: \t>+*.)\d]*$/;

class Sanitizer {
  readonly #lines: readonly string[];
  /** How far headings move down, so that the highest comes right below those of the export. */
  readonly #shift: number;
  #next = 0;
  #out = '';
  #afterBlank = true;
  #inList = false;
  #inTable = false;
  /** The indent of lines after a code block, from a list item that the block has ended. */
  #dedent = 0;

  constructor(text: string) {
    this.#lines = text.split('\n');
    let highest = HIGHEST_HEADING;
    for (const [, marks = ''] of text.matchAll(/^[ \t>]*(#{1,6})[ \t]/gm)) highest = Math.min(highest, marks.length);
    this.#shift = HIGHEST_HEADING - highest;
  }

  run(): string {
    for (let line = this.#take(); line !== undefined; line = this.#take()) {
      if (BLANK.test(line)) this.#blank();
      else if (!this.#fencedCode(line) && !this.#indentedCode(line)) this.#plain(line);
    }
    return this.#out;
  }

  #take(): string | undefined {
    return this.#lines[this.#next++];
  }

  #blank(): void {
    if (!this.#afterBlank) this.#out += '\n';
    this.#afterBlank = true;
    this.#inTable = false;
  }

  #fencedCode(opening: string): boolean {
    const match = FENCE.exec(opening);
    if (!match) return false;
    const [, margin, quote, quoteMargin, item, run = '', info = ''] = match;
    const indent = columns(item ?? quoteMargin ?? margin ?? '');
    if (margin !== undefined && indent > 3 && !this.#inList) return false;
    if (item !== undefined) {
      // Under a line of text a lone dash would make a heading of it.
      this.#blank();
      this.#out += `${item.trim()}\n`;
      this.#afterBlank = false;
      this.#inList = true;
    }
    const closing = new RegExp(`^\\s{0,${indent + 3}}${run.charAt(0)}{${run.length},}\\s*$`);
    const code: string[] = [];
    for (let line = this.#take(); line !== undefined; line = this.#take()) {
      // The end of a quotation ends the code in it too.
      if (quote !== undefined && !QUOTE_MARK.test(line)) {
        this.#next--;
        break;
      }
      const content = quote === undefined ? line : line.replace(QUOTE_MARK, '');
      if (closing.test(content)) break;
      code.push(content);
    }
    // The fence is written with backticks, among which its text may have none.
    this.#code(code, indent, info.trim().replaceAll('`', '&#96;'), quote === undefined ? '' : '> ');
    this.#dedent = this.#inList ? indent : 0;
    return true;
  }

  #indentedCode(first: string): boolean {
    if (!this.#afterBlank || this.#inList || !INDENTED.test(first)) return false;
    const code = [first];
    let length = 1;
    for (let line = this.#take(); line !== undefined; line = this.#take()) {
      const isBlank = BLANK.test(line);
      if (!isBlank && !INDENTED.test(line)) break;
      code.push(line);
      if (!isBlank) length = code.length;
    }
    this.#next--;
    this.#code(code.slice(0, length), 4);
    return true;
  }

  #code(indented: readonly string[], indent: number, info = '', prefix = ''): void {
    this.#blank();
    const lines = indented.map((line) => withoutIndent(line, indent));
    const fence = fenceFor(lines.join('\n'));
    for (const line of [`${fence}${info}`, ...lines, fence]) this.#out += `${prefix}${line}\n`;
    this.#out += '\n';
  }

  #plain(original: string): void {
    const line = withoutIndent(original, this.#dedent);
    if (original.length - line.length < this.#dedent) this.#dedent = 0;
    if (RULE.test(line)) {
      this.#blank();
      this.#out += '***\n\n';
      this.#inList = false;
      return;
    }
    if (this.#afterBlank && !/^[ \t]/.test(line)) this.#inList = false;
    if (DELIMITER_ROW.test(this.#lines[this.#next] ?? '')) this.#inTable = true;
    this.#out += `${this.#sanitized(line)}\n`;
    this.#afterBlank = false;
  }

  #sanitized(line: string): string {
    let at = line.search(/[^ \t]/);
    for (let container = matchAt(CONTAINER, line, at); ; container = matchAt(CONTAINER, line, at)) {
      if (matchAt(UNDERLINE, line, at))
        return `${line.slice(0, at)}${line[at] === '-' ? '&#45;' : '&#61;'}${line.slice(at + 1)}`;
      if (container === '') break;
      if (!container.startsWith('>')) this.#inList = true;
      at += container.length;
    }
    const prefix = line.slice(0, at);
    const rest = line.slice(at);
    const [marks] = HEADING.exec(rest) ?? [];
    const unfenced = rest.replace(/^~{3,}/, (run) => '&#126;'.repeat(run.length));
    if (marks === undefined) return prefix + sanitizeLine(unfenced, this.#inTable);
    // A mark that is deeper in lists and quotations may be higher than those that were looked at.
    const level = Math.max(HIGHEST_HEADING, Math.min(6, marks.length + this.#shift));
    return `${prefix}${'#'.repeat(level)}${sanitizeLine(rest.slice(marks.length), false)}`;
  }
}

/** What a sticky pattern finds at a place, empty for nothing. */
function matchAt(pattern: RegExp, line: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? '';
}

/** How far a text of blanks and marks reaches, tabs counted to the next column of four. */
function columns(text: string): number {
  let column = 0;
  for (const character of text) column += character === '\t' ? 4 - (column % 4) : 1;
  return column;
}

/** The line without so many columns of white space at its start, or as many as it has. */
function withoutIndent(line: string, indent: number): string {
  let at = 0;
  let column = 0;
  for (; column < indent && (line[at] === ' ' || line[at] === '\t'); at++)
    column += line[at] === '\t' ? 4 - (column % 4) : 1;
  return ' '.repeat(Math.max(0, column - indent)) + line.slice(at);
}
