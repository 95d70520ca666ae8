/**
 * One line of Markdown from a log, made such that it still means the same but cannot reach beyond its line: no raw HTML,
 * no code that opens here and closes elsewhere, no definitions of links or footnotes (those work in the whole document),
 * no pictures from elsewhere, no links that are more than links, no mentions, no formulas.
 */
const NEEDS_WORK = /[<`\]@$]/;

const AUTOLINK = /<https?:\/\/[^\s<>`"'|\\$@]*>/y;
const RESOURCE = /\]\(([^\s()<>`\\"'|$]*(?:\([^\s()<>`\\"'|$]*\)[^\s()<>`\\"'|$]*)*)(?:[ \t]+"[^"<>`\\|$]*")?[ \t]*\)/y;

const TAB = 0x09;
const SPACE = 0x20;
const BANG = 0x21;
const DOLLAR = 0x24;
const COLON = 0x3a;
const LESS = 0x3c;
const AT = 0x40;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const BACKTICK = 0x60;
const PIPE = 0x7c;

/** Whether there is anything in the text, which may be several lines, that `sanitizeLine` would look at. */
export function needsWork(text: string): boolean {
  return NEEDS_WORK.test(text);
}

export function sanitizeLine(line: string, inTable: boolean): string {
  if (!needsWork(line)) return line;
  const runs = new Backticks(line);
  const addresses = new Addresses(line);
  const cells = new Cells(line);
  let out = '';
  let done = 0;
  let at = 0;
  const put = (replacement: string, next: number): void => {
    out += line.slice(done, at) + replacement;
    done = next;
    at = next;
  };
  while (at < line.length) {
    switch (line.charCodeAt(at)) {
      case BACKSLASH: {
        const next = line.charCodeAt(at + 1);
        if (next === LESS) put('&lt;', at + 2);
        else if (next === BACKTICK) put('&#96;', at + 2);
        else if (next === AT) put('', at + 1);
        else at += 2;
        break;
      }
      case LESS: {
        const end = endOf(AUTOLINK, line, at);
        if (end < 0) put('&lt;', at + 1);
        else at = end;
        break;
      }
      case BACKTICK: {
        const length = runs.lengthAt(at);
        const close = addresses.reach(at) ? -1 : runs.closing(at, length, inTable ? cells.endFrom(at) : line.length);
        if (close >= 0 && !definesInside(line, at + length, close)) at = close + length;
        else put('&#96;'.repeat(length), at + length);
        break;
      }
      case CLOSE_BRACKET: {
        const next = line.charCodeAt(at + 1);
        if (next === COLON) put(']\\:', at + 2);
        else if (next === 0x28) {
          const end = linkEnd(line, at);
          if (end < 0) put(']\\(', at + 2);
          else at = end;
        } else at++;
        break;
      }
      case BANG:
        if (line.charCodeAt(at + 1) === OPEN_BRACKET) put('\\!', at + 1);
        else at++;
        break;
      case AT:
        if (isWordCode(line.charCodeAt(at + 1)) && !isAddressCode(line.charCodeAt(at - 1))) put('@&#8203;', at + 1);
        else at++;
        break;
      case DOLLAR:
        if (addresses.reach(at)) at++;
        else put('\\$', at + 1);
        break;
      default:
        at++;
    }
  }
  return done === 0 ? line : out + line.slice(done);
}

/** The runs of backticks of a line, and which of them closes which. */
class Backticks {
  readonly #line: string;
  /** Starts of the runs by their length, in order. */
  #starts: Map<number, number[]> | undefined;
  readonly #next = new Map<number, number>();

  constructor(line: string) {
    this.#line = line;
  }

  lengthAt(at: number): number {
    let end = at + 1;
    while (this.#line.charCodeAt(end) === BACKTICK) end++;
    return end - at;
  }

  /** Where the next run of the same length starts, -1 if there is none before the end. Asked from left to right. */
  closing(at: number, length: number, end: number): number {
    this.#starts ??= this.#find();
    const starts = this.#starts.get(length);
    if (!starts) return -1;
    let index = this.#next.get(length) ?? 0;
    while (index < starts.length && (starts[index] ?? 0) <= at) index++;
    this.#next.set(length, index);
    const start = starts[index];
    return start === undefined || start + length > end ? -1 : start;
  }

  #find(): Map<number, number[]> {
    const starts = new Map<number, number[]>();
    let at = this.#line.indexOf('`');
    while (at >= 0) {
      const length = this.lengthAt(at);
      const known = starts.get(length);
      if (known) known.push(at);
      else starts.set(length, [at]);
      at = this.#line.indexOf('`', at + length);
    }
    return starts;
  }
}

/** Where a table's cells end. A pipe behind one backslash is text for every renderer, behind several it may be either. */
class Cells {
  readonly #line: string;
  #end = -1;

  constructor(line: string) {
    this.#line = line;
  }

  /** Asked from left to right. */
  endFrom(from: number): number {
    if (this.#end > from) return this.#end;
    let at = this.#line.indexOf('|', from);
    while (at >= 0 && this.#line.charCodeAt(at - 1) === BACKSLASH && this.#line.charCodeAt(at - 2) !== BACKSLASH) {
      at = this.#line.indexOf('|', at + 1);
    }
    this.#end = at < 0 ? this.#line.length : at;
    return this.#end;
  }
}

/** A definition's label may hold backticks, and then they are no code. */
function definesInside(line: string, from: number, to: number): boolean {
  const code = line.slice(from, to);
  const defines = code.indexOf(']:');
  if (defines < 0) return false;
  // A label holds no bracket, unless behind a backslash.
  const label = code.slice(0, defines);
  return !label.includes('[') || label.includes('\\');
}

/** The end of a link's address and title, -1 where they are not plain or lead to something that is no page. */
function linkEnd(line: string, at: number): number {
  RESOURCE.lastIndex = at;
  const match = RESOURCE.exec(line);
  if (!match) return -1;
  return isHarmlessAddress(match[1] ?? '') ? RESOURCE.lastIndex : -1;
}

export function isHarmlessAddress(address: string): boolean {
  const rest = address.search(/[/?#]/);
  const start = rest < 0 ? address : address.slice(0, rest);
  // A character reference could hide the colon of a scheme.
  if (start.includes('&')) return false;
  return !start.includes(':') || /^(?:https?|mailto):/i.test(start);
}

function endOf(pattern: RegExp, line: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(line) ? pattern.lastIndex : -1;
}

/** Bare addresses become links and take everything up to the next space with them. */
class Addresses {
  readonly #line: string;
  #seen = 0;
  #found = false;

  constructor(line: string) {
    this.#line = line;
  }

  /** Whether this place is part of an address that began before it. Asked from left to right. */
  reach(at: number): boolean {
    let start = at;
    while (start > this.#seen && !isSpaceCode(this.#line.charCodeAt(start - 1))) start--;
    const sameWord = start === this.#seen;
    const word = this.#line.slice(sameWord ? Math.max(0, start - 3) : start, at);
    this.#found = (sameWord && this.#found) || word.includes('://') || /www\./i.test(word);
    this.#seen = at;
    return this.#found;
  }
}

function isSpaceCode(code: number): boolean {
  return code === SPACE || code === TAB || code === PIPE;
}

function isWordCode(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

function isAddressCode(code: number): boolean {
  return isWordCode(code) || code === 0x5f || code === 0x2f;
}
