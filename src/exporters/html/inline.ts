import { escapeHtml } from './escape.ts';

/**
 * The Markdown inside a paragraph as HTML: code, emphasis, links to pages. Everything is escaped on the way out, tags
 * come from here alone, and what is not understood stays the text it is.
 */
const DEEPEST = 6;
/** Nobody reads emphasis in a paragraph of this length. */
const LONGEST = 200_000;

const LINK = /\[((?:[^[\]\\`]|\\.|`[^`\n]{0,200}`){0,500})\]\(([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)(?:\s+"[^"\n]*")?\)/y;
const ADDRESS = /https?:\/\/[^\s<>"'`|\\]+/y;
const AUTOLINK = /<(https?:\/\/[^\s<>"'`]*)>/y;
const PAGE = /^(?:https?:\/\/|mailto:)/i;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}_]/u;

export function inlineHtml(text: string, depth = 0): string {
  if (text.length > LONGEST || depth > DEEPEST) return escapeHtml(text);
  return new Inline(text, depth).html();
}

class Inline {
  readonly #text: string;
  readonly #depth: number;
  /** Marks that nothing behind this point closes, so that nobody looks again. */
  readonly #unclosed = new Set<string>();
  #out = '';
  #from = 0;
  #at = 0;

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  html(): string {
    const text = this.#text;
    while (this.#at < text.length) {
      switch (text.charAt(this.#at)) {
        case '\\':
          this.#escape();
          break;
        case '`':
          this.#code();
          break;
        case '*':
          if (!this.#mark('***', 'strong', 'em') && !this.#mark('**', 'strong') && !this.#mark('*', 'em')) this.#skipRun('*');
          break;
        case '_':
          if (!this.#mark('__', 'strong') && !this.#mark('_', 'em')) this.#skipRun('_');
          break;
        case '~':
          if (!this.#mark('~~', 'del')) this.#skipRun('~');
          break;
        case '[':
          this.#link();
          break;
        case '<':
          this.#autolink();
          break;
        case 'h':
          this.#address();
          break;
        default:
          this.#at++;
      }
    }
    return this.#out + escapeHtml(text.slice(this.#from));
  }

  #put(html: string, next: number): void {
    this.#out += escapeHtml(this.#text.slice(this.#from, this.#at)) + html;
    this.#from = next;
    this.#at = next;
  }

  #escape(): void {
    const next = this.#text.charAt(this.#at + 1);
    if (next !== '' && ESCAPABLE.test(next)) this.#put(escapeHtml(next), this.#at + 2);
    else this.#at++;
  }

  #skipRun(mark: string): void {
    while (this.#text.charAt(this.#at) === mark) this.#at++;
  }

  #code(): void {
    const text = this.#text;
    let end = this.#at;
    while (text.charAt(end) === '`') end++;
    const ticks = text.slice(this.#at, end);
    const close = this.#unclosed.has(ticks) ? -1 : closingRun(text, end, ticks.length);
    if (close < 0) {
      this.#unclosed.add(ticks);
      this.#at = end;
      return;
    }
    const content = text.slice(end, close).replaceAll('\n', ' ');
    const bare = content.startsWith(' ') && content.endsWith(' ') && content.trim() !== '' ? content.slice(1, -1) : content;
    this.#put(`<code>${escapeHtml(bare)}</code>`, close + ticks.length);
  }

  #mark(mark: string, ...tags: string[]): boolean {
    const text = this.#text;
    const start = this.#at + mark.length;
    if (!text.startsWith(mark, this.#at) || this.#unclosed.has(mark) || isSpace(text.charAt(start))) return false;
    const intraword = mark.startsWith('_');
    if (intraword && this.#at > 0 && WORD.test(text.charAt(this.#at - 1))) return false;
    let close = text.indexOf(mark, start + 1);
    while (close >= 0 && !closesMark(text, close, mark, intraword)) close = text.indexOf(mark, close + 1);
    if (close < 0) {
      this.#unclosed.add(mark);
      return false;
    }
    const open = tags.map((tag) => `<${tag}>`).join('');
    const shut = tags
      .map((tag) => `</${tag}>`)
      .toReversed()
      .join('');
    this.#put(open + inlineHtml(text.slice(start, close), this.#depth + 1) + shut, close + mark.length);
    return true;
  }

  #link(): void {
    LINK.lastIndex = this.#at;
    const match = this.#unclosed.has('[') ? undefined : LINK.exec(this.#text);
    if (!match) {
      this.#at++;
      return;
    }
    const next = LINK.lastIndex;
    const label = inlineHtml(match[1] ?? '', this.#depth + 1);
    const address = match[2] ?? '';
    // A picture from elsewhere would be fetched by looking at it; a link is followed on purpose.
    const html = PAGE.test(address)
      ? anchorHtml(address, withoutAnchors(label) || escapeHtml(address))
      : `${label} (<code>${escapeHtml(address)}</code>)`;
    this.#put(html, next);
  }

  #autolink(): void {
    AUTOLINK.lastIndex = this.#at;
    const match = AUTOLINK.exec(this.#text);
    if (!match) this.#at++;
    else this.#put(anchorHtml(match[1] ?? '', escapeHtml(match[1] ?? '')), AUTOLINK.lastIndex);
  }

  #address(): void {
    ADDRESS.lastIndex = this.#at;
    const before = this.#at > 0 ? this.#text.charAt(this.#at - 1) : ' ';
    const match = WORD.test(before) ? undefined : ADDRESS.exec(this.#text);
    if (!match) {
      this.#at++;
      return;
    }
    const address = trimmedAddress(match[0]);
    this.#put(anchorHtml(address, escapeHtml(address)), this.#at + address.length);
  }
}

function anchorHtml(address: string, label: string): string {
  return `<a href="${escapeHtml(address)}" rel="noreferrer noopener" target="_blank">${label}</a>`;
}

/** A link inside a link's label would end the outer one. */
function withoutAnchors(html: string): string {
  return html.replace(/<\/?a\b[^>]*>/g, '');
}

/** Punctuation at the end belongs to the sentence, and a bracket that was not opened in the address too. */
function trimmedAddress(address: string): string {
  const opens = address.includes('(');
  let end = address.length;
  while (end > 0 && /[.,:;!?*_~)\]}]/.test(address.charAt(end - 1))) {
    if (opens && address.charAt(end - 1) === ')') break;
    end--;
  }
  return address.slice(0, end);
}

function closingRun(text: string, from: number, length: number): number {
  let at = text.indexOf('`', from);
  while (at >= 0) {
    let end = at;
    while (text.charAt(end) === '`') end++;
    if (end - at === length) return at;
    at = text.indexOf('`', end);
  }
  return -1;
}

function closesMark(text: string, at: number, mark: string, intraword: boolean): boolean {
  const before = text.charAt(at - 1);
  if (isSpace(before) || before === '\\' || before === mark.charAt(0)) return false;
  const after = text.charAt(at + mark.length);
  if (after === mark.charAt(0)) return false;
  return !(intraword && WORD.test(after));
}

function isSpace(character: string): boolean {
  return character === '' || character === ' ' || character === '\n' || character === '\t';
}
