import type { Cutting } from './cut-lines.ts';
import type { LogSource } from './format.ts';

/** A mark went where nobody expected it; a conversion that reads all texts in full has none. */
export class LostText extends Error {}

/** Its name and number, and a quote. */
const LONGEST_MARK = 40;

/** The rest of a text: where it is, as JSON without its quotes, and its length as a string. */
interface Rest {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

/**
 * Long texts that a conversion only hands on: a record has the head of one and a mark for the rest, whose bytes go from
 * the source to the entry as they are. Whoever looks at more than the head of a text asks for the whole one.
 */
export class LongTexts {
  /** How they are cut; undefined where all are read in full. */
  readonly cutting: Cutting | undefined;
  readonly #name: string;
  /** Where a mark has to be. */
  readonly #mark: RegExp;
  /** What identifies a mark, also one that is not whole because somebody has cut the text. */
  readonly #start: string;
  readonly #rests: Rest[] = [];
  #first = 0;

  constructor({ random, scanner }: LogSource, mayCut = /(?!)/) {
    // No log can have marks of its own.
    const key = random(8);
    this.#name = `text-${Buffer.from(key).toString('hex')}-`;
    this.cutting = scanner === 'off' ? undefined : { mayCut, mark: this.#name, key };
    // A mark ends with a quote: its backslashes show how often it is JSON inside of JSON.
    this.#mark = new RegExp(`${this.#name}(\\d+)(\\\\*)"`, 'y');
    this.#start = this.#name.slice(0, 'text-'.length + 8);
  }

  /** How many there were so far. */
  get count(): number {
    return this.#first + this.#rests.length;
  }

  /** Keeps the rest of the next text that was cut. */
  add(rest: Rest): void {
    this.#rests.push(rest);
  }

  /** Nobody will ask for what was added before that many. */
  forgetBefore(count: number): void {
    this.#rests.splice(0, count - this.#first);
    this.#first = Math.max(this.#first, count);
  }

  /** JSON with its texts in full, in pieces: of what is cut the bytes. */
  pieces(json: string): readonly (string | Buffer)[] {
    let at = json.indexOf(this.#start);
    if (at < 0) return [json];
    const pieces: (string | Buffer)[] = [];
    let done = 0;
    for (; at >= 0; at = json.indexOf(this.#start, done)) {
      this.#mark.lastIndex = at;
      const [mark, count, slashes] = this.#mark.exec(json) ?? [];
      if (mark === undefined || count === undefined || !slashes) throw new LostText();
      pieces.push(json.slice(done, at), this.#rest(count, slashes.length));
      done = at + mark.length;
    }
    pieces.push(json.slice(done));
    return pieces;
  }

  /** JSON with its texts in full. */
  wholeJson(json: string): string {
    const pieces = this.pieces(json);
    return pieces.length === 1 ? json : pieces.join('');
  }

  /** A text in full. */
  whole(text: string): string {
    const at = this.#markIn(text);
    return at < 0 ? text : `${text.slice(0, at)}${unquoted(jsonOf(this.#behind(text, at)))}`;
  }

  /** So much of the start of a text. */
  head(text: string, length: number): string {
    const at = text.length < length + LONGEST_MARK ? this.#markIn(text) : -1;
    if (at < 0) return text.slice(0, length);
    const json = jsonOf(this.#behind(text, at));
    let end = length;
    // Not inside of an escape, which has up to six characters, nor of a character of several bytes.
    while (end < json.length && /[\\\u0080-\u00ff]/.test(json.toString('latin1', end - 6, end + 1))) end++;
    const head = text.slice(0, at) + unquoted(json.subarray(0, end));
    return (head.length < length ? this.whole(text) : head).slice(0, length);
  }

  lengthOf(text: string): number {
    const at = this.#markIn(text);
    return at < 0 ? text.length : at + this.#behind(text, at).length;
  }

  #markIn(text: string): number {
    return text.length < LONGEST_MARK ? -1 : text.indexOf(this.#name);
  }

  /** What the mark at the end of a text stands for. */
  #behind(text: string, at: number): Rest {
    return this.#at(text.slice(at + this.#name.length, -1));
  }

  #rest(count: string, slashes: number): Buffer {
    const json = jsonOf(this.#at(count));
    if (slashes === 1) return json;
    let rest = json.toString('latin1');
    for (let left = slashes; left > 1; left = (left - 1) / 2) rest = JSON.stringify(rest).slice(1, -1);
    return Buffer.from(rest, 'latin1');
  }

  #at(count: string): Rest {
    const rest = this.#rests[Number(count) - this.#first];
    if (rest === undefined) throw new LostText();
    return rest;
  }
}

function jsonOf({ bytes, start, end }: Rest): Buffer {
  return bytes.subarray(start, end);
}

function unquoted(json: Buffer): string {
  return JSON.parse(`"${json.toString('utf8')}"`) as string;
}
