import type { LineContent } from '../entries/damage.ts';
import { skipSpace, skipString } from '../json/text.ts';
import { parseJson } from '../json/value.ts';
import type { Line } from '../lines/line.ts';

/** Limits for a pretty-printed object. */
const MAX_LINES = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

export interface HeldLine {
  readonly line: Line;
  readonly content: LineContent;
}

interface JoinerCallbacks {
  /** A line that stands alone. */
  readonly single: (held: HeldLine) => void;
  /** Lines that form one JSON object together; false if they must not be joined. */
  readonly joined: (lines: readonly HeldLine[]) => boolean;
}

/** What the JSON grammar expects next in an open object or array. */
type Expects = 'first key' | 'key' | 'colon' | 'member' | 'after member' | 'first item' | 'item' | 'after item' | 'end';

const VALUE = { member: 'after member', 'first item': 'after item', item: 'after item' } as const;
/** What is expected after a token, by what was expected before it. */
const NEXT: Readonly<Record<string, Readonly<Partial<Record<Expects, Expects>>>>> = {
  word: VALUE,
  '{': VALUE,
  '[': VALUE,
  '"': { ...VALUE, 'first key': 'colon', key: 'colon' },
  ':': { colon: 'member' },
  ',': { 'after member': 'key', 'after item': 'item' },
  '}': { 'first key': 'end', 'after member': 'end' },
  ']': { 'first item': 'end', 'after item': 'end' },
};
const WORD = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[\s,\]}]|$)/y;

interface OpenValue {
  readonly line: number;
  /** An object that is the first token on its line. */
  readonly startsLine: boolean;
  expects: Expects;
}

/**
 * Finds objects that were pretty-printed over several lines. Holds lines back from the first one that starts an object
 * without closing it, and parses them strictly. Remembers complete objects inside an open one, so that each line is
 * parsed once, however many objects are truncated.
 */
export class Joiner {
  readonly #callbacks: JoinerCallbacks;
  #held: HeldLine[] = [];
  #bytes = 0;
  #open: OpenValue[] = [];
  /** Index in `#open` of the outermost object that is still followed. */
  #base = 0;
  /** Complete objects inside, as line ranges; they do not nest. */
  #inner: { readonly from: number; readonly to: number }[] = [];

  constructor(callbacks: JoinerCallbacks) {
    this.#callbacks = callbacks;
  }

  /** Takes the next line. A line that is an entry by itself is never joined to another one. */
  take(held: HeldLine, isEntry: boolean): void {
    if (this.#held.length > 0 && this.#continues(held, isEntry)) return;
    if (held.content.damage === 'torn-line' && this.#scan(held.line) === 'open') this.#hold(held);
    else {
      this.#reset();
      this.#callbacks.single(held);
    }
  }

  end(): void {
    this.#release(Number.POSITIVE_INFINITY);
    this.#reset();
  }

  #hold(held: HeldLine): void {
    this.#held.push(held);
    this.#bytes += held.line.length + 1;
  }

  /** False if the line does not continue the held lines, which are then released. */
  #continues(held: HeldLine, isEntry: boolean): boolean {
    const { damage } = held.content;
    const isReadable = damage === undefined || ['torn-line', 'not-json', 'not-an-object'].includes(damage);
    const state = isReadable && !isEntry ? this.#scan(held.line) : 'broken';
    if (state === 'broken') {
      this.end();
      return false;
    }
    this.#hold(held);
    if (state === 'closed') {
      const lines = this.#held;
      this.#reset();
      if (!this.#callbacks.joined(lines)) for (const one of lines) this.#callbacks.single(one);
      return true;
    }
    // Too long for one object: give up the outermost one; an inner one may still close.
    while (this.#held.length >= MAX_LINES || this.#bytes > MAX_BYTES) {
      do this.#base++;
      while (this.#base < this.#open.length && !this.#open[this.#base]?.startsLine);
      const outermost = this.#open[this.#base];
      if (outermost) this.#release(outermost.line);
      else this.end();
    }
    return true;
  }

  /** Releases the lines before a line number; complete objects among them are joined. */
  #release(before: number): void {
    for (let held = this.#held[0]; held && held.line.number < before; held = this.#held[0]) {
      const run = this.#inner[0]?.from === held.line.number ? this.#inner.shift() : undefined;
      const object = run ? this.#held.slice(0, run.to - run.from + 1) : [];
      const isJoined = run !== undefined && this.#callbacks.joined(object);
      for (const { line } of isJoined ? object : [held]) {
        this.#held.shift();
        this.#bytes -= line.length + 1;
      }
      if (!isJoined) this.#callbacks.single(held);
    }
  }

  #reset(): void {
    this.#held = [];
    this.#bytes = 0;
    this.#open = [];
    this.#base = 0;
    this.#inner = [];
  }

  #scan({ text, number }: Line): 'open' | 'closed' | 'broken' {
    const lead = skipSpace(text, 0);
    for (let at = lead; at < text.length; ) {
      at = this.#token(text, at, number, at === lead);
      if (at < 0) return 'broken';
      at = skipSpace(text, at);
      if (this.#open.length === this.#base) return at === text.length ? 'closed' : 'broken';
    }
    return 'open';
  }

  /** Reads one token; returns the position after it, or -1 if the grammar does not allow it. */
  #token(text: string, at: number, line: number, isFirst: boolean): number {
    const char = text.charAt(at);
    let end = at + 1;
    let token = char;
    if (char === '"') {
      end = skipString(text, at);
      if (end < 0 || parseJson(text.slice(at, end)) === undefined) return -1;
    } else if (!(char in NEXT)) {
      WORD.lastIndex = at;
      if (!WORD.test(text)) return -1;
      end = WORD.lastIndex;
      token = 'word';
    }
    const around = this.#open.at(-1);
    const next = around && NEXT[token]?.[around.expects];
    if (around && !next) return -1;
    if (around && next) around.expects = next;
    if (char === '{') this.#open.push({ line, startsLine: isFirst, expects: 'first key' });
    else if (char === '[') this.#open.push({ line, startsLine: false, expects: 'first item' });
    else if (around && next === 'end') this.#close(around, line, skipSpace(text, end) === text.length);
    return end;
  }

  #close({ line: from, startsLine }: OpenValue, line: number, endsLine: boolean): void {
    this.#open.pop();
    if (this.#open.length === this.#base || !startsLine || !endsLine || from === line) return;
    while ((this.#inner.at(-1)?.from ?? -1) >= from) this.#inner.pop();
    this.#inner.push({ from, to: line });
  }
}
