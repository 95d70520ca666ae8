import type { LineContent } from '../entries/damage.ts';
import { skipSpace, skipString } from '../json/text.ts';
import { parseJson } from '../json/value.ts';
import type { Line } from '../lines/line.ts';

/** How far a printed object is followed. */
const MAX_LINES = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

export interface HeldLine {
  readonly line: Line;
  readonly content: LineContent;
}

export interface JoinerCallbacks {
  /** A line that is to be taken for itself. */
  readonly single: (held: HeldLine) => void;
  /** Lines that are one JSON object together; false where they are not to be joined. */
  readonly joined: (lines: readonly HeldLine[]) => boolean;
}

/** What an object or an array that is open has next. */
type Expects = 'first key' | 'key' | 'colon' | 'member' | 'after member' | 'first item' | 'item' | 'after item' | 'end';

const VALUE = { member: 'after member', 'first item': 'after item', item: 'after item' } as const;
/** The grammar of JSON: what follows a token where it is expected. */
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

/** An object or an array that is not closed yet. */
interface OpenValue {
  /** The line on which it opened. */
  readonly line: number;
  /** It is an object, and the first thing on its line. */
  readonly startsLine: boolean;
  expects: Expects;
}

/**
 * Finds the objects that somebody printed over several lines. It holds lines back from the first one that starts as an
 * object and does not end as one, and reads them strictly: what it takes for closed is JSON. It remembers the whole
 * objects inside what is still open, so that each line is read once, however many objects break off.
 */
export class Joiner {
  readonly #callbacks: JoinerCallbacks;
  #held: HeldLine[] = [];
  #bytes = 0;
  #open: OpenValue[] = [];
  /** What was opened before this one was given up. */
  #base = 0;
  /** The whole objects inside that start a line and end a later one; none is inside another one. */
  #inner: { readonly from: number; readonly to: number }[] = [];

  constructor(callbacks: JoinerCallbacks) {
    this.#callbacks = callbacks;
  }

  /** Takes the next line. One that is an entry by itself is never made a part of another one. */
  take(held: HeldLine, isEntry: boolean): void {
    if (this.#held.length > 0 && this.#continues(held, isEntry)) return;
    if (held.content.damage === 'torn-line' && this.#scan(held.line) === 'open') this.#hold(held);
    else {
      this.#reset();
      this.#callbacks.single(held);
    }
  }

  /** No line follows. */
  end(): void {
    this.#release(Number.POSITIVE_INFINITY);
    this.#reset();
  }

  #hold(held: HeldLine): void {
    this.#held.push(held);
    this.#bytes += held.line.length + 1;
  }

  /** False where the line is not a part of what is held, which is then given up. */
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
    // Too much for one object: the outermost one is given up, and one that started further down may still end.
    while (this.#held.length >= MAX_LINES || this.#bytes > MAX_BYTES) {
      do this.#base++;
      while (this.#base < this.#open.length && !this.#open[this.#base]?.startsLine);
      const outermost = this.#open[this.#base];
      if (outermost) this.#release(outermost.line);
      else this.end();
    }
    return true;
  }

  /** Passes on the lines before one, with the whole objects among them joined. */
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

  /** Takes one token; gives the position behind it, or -1 where the grammar does not allow it. */
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
