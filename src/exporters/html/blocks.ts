import { lineEnds, visible } from '../visible.ts';
import { escapeHtml } from './escape.ts';
import { inlineHtml } from './inline.ts';

/**
 * What a user or a model wrote, as HTML: the parts of Markdown that such texts use. Every tag is written here and closed
 * here; anything unusual is a paragraph.
 */
export function markdownHtml(markdown: string): string {
  return blocksHtml(visible(lineEnds(markdown)).split('\n'), 0);
}

const DEEPEST = 8;

const FENCE = /^(\s*)(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const CLOSING_MARKS = /[ \t]+#+[ \t]*$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^(\s*)([-+*]|\d{1,9}[.)])(?:[ \t]+|$)/;
const TASK = /^\[([ xX])\][ \t]+/;
const INDENTED = /^(?: {4}| {0,3}\t)/;
const LANGUAGE = /^[\w+#.-]{1,40}/;

class Lines {
  readonly #lines: readonly string[];
  at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get line(): string | undefined {
    return this.#lines[this.at];
  }

  peek(distance = 1): string | undefined {
    return this.#lines[this.at + distance];
  }
}

function blocksHtml(all: readonly string[], depth: number): string {
  if (depth > DEEPEST) return paragraphHtml(all);
  const lines = new Lines(all);
  let html = '';
  for (let line = lines.line; line !== undefined; line = lines.line) {
    if (line.trim() === '') lines.at++;
    else html += blockHtml(lines, line, depth);
  }
  return html;
}

function blockHtml(lines: Lines, line: string, depth: number): string {
  const fence = FENCE.exec(line);
  if (fence) return fenceHtml(lines, fence);
  const heading = HEADING.exec(line);
  if (heading) {
    lines.at++;
    const level = Math.min(6, (heading[1] ?? '').length + 2);
    return `<h${level}>${inlineHtml((heading[2] ?? '').replace(CLOSING_MARKS, ''))}</h${level}>`;
  }
  if (RULE.test(line)) {
    lines.at++;
    return '<hr>';
  }
  if (QUOTE.test(line)) return quoteHtml(lines, depth);
  if (ITEM.test(line)) return listHtml(lines, depth);
  if (INDENTED.test(line)) return indentedHtml(lines);
  if (line.includes('|') && isDelimiterRow(lines.peek())) return tableHtml(lines, line);
  return textHtml(lines);
}

function fenceHtml(lines: Lines, [, blanks = '', run = '', info = '']: RegExpExecArray): string {
  lines.at++;
  const code: string[] = [];
  for (let line = lines.line; line !== undefined; line = lines.line) {
    lines.at++;
    if (closesFence(line, run, blanks.length)) break;
    code.push(withoutIndent(line, blanks.length));
  }
  return codeHtml(LANGUAGE.exec(info.trim())?.[0] ?? '', code.join('\n'));
}

function closesFence(line: string, run: string, indent: number): boolean {
  const trimmed = line.trim();
  if (trimmed.length < run.length || line.length - line.trimStart().length > indent + 3) return false;
  for (let at = 0; at < trimmed.length; at++) if (trimmed.charAt(at) !== run.charAt(0)) return false;
  return true;
}

export function codeHtml(language: string, text: string): string {
  const name = language === '' ? '' : ` data-language="${escapeHtml(language)}"`;
  if (language === 'diff') return `<pre class="diff"${name}><code>${diffHtml(text)}</code></pre>`;
  return `<pre${name}><code>${escapeHtml(text)}</code></pre>`;
}

function diffHtml(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('+')) return `<ins>${escapeHtml(line)}</ins>`;
      if (line.startsWith('-')) return `<del>${escapeHtml(line)}</del>`;
      return escapeHtml(line);
    })
    .join('\n');
}

function quoteHtml(lines: Lines, depth: number): string {
  const inner: string[] = [];
  for (let line = lines.line; line !== undefined && QUOTE.test(line); line = lines.line) {
    inner.push(line.replace(QUOTE, ''));
    lines.at++;
  }
  return `<blockquote>${blocksHtml(inner, depth + 1)}</blockquote>`;
}

function listHtml(lines: Lines, depth: number): string {
  const first = ITEM.exec(lines.line ?? '');
  const base = (first?.[1] ?? '').length;
  const mark = first?.[2] ?? '-';
  const ordered = /\d/.test(mark);
  const start = ordered ? Number.parseInt(mark, 10) : 1;
  let html = ordered ? `<ol${start === 1 ? '' : ` start="${start}"`}>` : '<ul>';
  for (let item = itemAt(lines, base, ordered); item; item = itemAt(lines, base, ordered)) {
    html += `<li>${itemHtml(itemLines(lines, item), depth)}</li>`;
  }
  return html + (ordered ? '</ol>' : '</ul>');
}

/** The next item of the same list, blank lines before it skipped. */
function itemAt(lines: Lines, base: number, ordered: boolean): RegExpExecArray | undefined {
  let blanks = 0;
  while (lines.peek(blanks)?.trim() === '') blanks++;
  const line = lines.peek(blanks);
  const match = line === undefined || RULE.test(line) ? undefined : ITEM.exec(line);
  if (!match || (match[1] ?? '').length > base + 1 || (match[1] ?? '').length < base || /\d/.test(match[2] ?? '') !== ordered)
    return undefined;
  lines.at += blanks;
  return match;
}

function itemLines(lines: Lines, match: RegExpExecArray): string[] {
  const indent = match[0].length;
  const taken = [(lines.line ?? '').slice(indent)];
  const least = (match[1] ?? '').length + 1;
  lines.at++;
  for (let line = lines.line; line !== undefined; line = lines.line) {
    const blank = line.trim() === '';
    const depth = line.length - line.trimStart().length;
    if (blank) {
      let ahead = 1;
      while (lines.peek(ahead)?.trim() === '') ahead++;
      const next = lines.peek(ahead);
      if (next === undefined || next.length - next.trimStart().length < least) break;
      lines.at += ahead - 1;
    } else if (depth < least && (ITEM.test(line) || startsBlock(line) || taken.at(-1)?.trim() === '')) break;
    taken.push(blank ? '' : withoutIndent(line, Math.min(indent, depth)));
    lines.at++;
  }
  return taken;
}

function itemHtml(lines: string[], depth: number): string {
  const task = TASK.exec(lines[0] ?? '');
  if (task) lines[0] = (lines[0] ?? '').slice(task[0].length);
  const box = task ? `<span class="task" aria-hidden="true">${task[1] === ' ' ? '☐' : '☑'}</span> ` : '';
  const html = blocksHtml(lines, depth + 1);
  // The text of an item stands beside its mark, not in a paragraph of its own.
  const end = html.startsWith('<p>') ? html.indexOf('</p>') : -1;
  return end < 0 ? box + html : box + html.slice('<p>'.length, end) + html.slice(end + '</p>'.length);
}

function indentedHtml(lines: Lines): string {
  const code: string[] = [];
  for (let line = lines.line; line !== undefined && (INDENTED.test(line) || line.trim() === ''); line = lines.line) {
    code.push(line.replace(INDENTED, ''));
    lines.at++;
  }
  return codeHtml('', code.join('\n').trimEnd());
}

function isDelimiterRow(line: string | undefined): boolean {
  if (line === undefined || !line.includes('-')) return false;
  for (let at = 0; at < line.length; at++) if (!'|:- \t'.includes(line.charAt(at))) return false;
  return true;
}

function tableHtml(lines: Lines, head: string): string {
  const columns = cellsOf(head);
  lines.at += 2;
  let html = `<div class="table"><table><thead><tr>${columns.map((cell) => `<th>${inlineHtml(cell)}</th>`).join('')}</tr></thead><tbody>`;
  for (let line = lines.line; line?.includes('|'); line = lines.line) {
    const cells = cellsOf(line);
    html += `<tr>${columns.map((_, at) => `<td>${inlineHtml(cells[at] ?? '')}</td>`).join('')}</tr>`;
    lines.at++;
  }
  return `${html}</tbody></table></div>`;
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  const cells: string[] = [];
  let from = 0;
  for (let at = inner.indexOf('|'); at >= 0; at = inner.indexOf('|', at + 1)) {
    if (inner.charAt(at - 1) === '\\') continue;
    cells.push(inner.slice(from, at));
    from = at + 1;
  }
  cells.push(inner.slice(from));
  return cells.slice(0, 200).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function textHtml(lines: Lines): string {
  const text: string[] = [];
  for (let line = lines.line; line !== undefined && line.trim() !== ''; line = lines.line) {
    if (text.length > 0 && (startsBlock(line) || (ITEM.test(line) && !/^\s{4}/.test(line)))) break;
    if (text.length > 0 && line.includes('|') && isDelimiterRow(lines.peek())) break;
    text.push(line);
    lines.at++;
  }
  return paragraphHtml(text);
}

function startsBlock(line: string): boolean {
  return FENCE.test(line) || HEADING.test(line) || QUOTE.test(line) || RULE.test(line);
}

function paragraphHtml(lines: readonly string[]): string {
  return `<p>${inlineHtml(lines.map((line) => line.trim()).join('\n'))}</p>`;
}

function withoutIndent(line: string, indent: number): string {
  let at = 0;
  while (at < indent && (line.charAt(at) === ' ' || line.charAt(at) === '\t')) at++;
  return line.slice(at);
}
