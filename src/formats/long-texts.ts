import { decodeUtf8 } from '../lines/line.ts';
import type { Cutting } from './cut-lines.ts';
import type { LogSource } from './format.ts';

/** A mark went where nobody expected it; a conversion that reads all texts in full has none. */
export class LostText extends Error {}

/** Its name and number, and a quote. */
const LONGEST_MARK = 40;

/**
 * Long texts that a conversion only hands on: a record has the head of one and a mark for the rest, whose bytes go from
 * the source to the entry as they are. Whoever looks at more than the head of a text asks for the whole one.
 */
export class LongTexts {
  /** How they are cut; undefined where all are read in full. */
  readonly cutting: Cutting | undefined;
  readonly #name: string;
  readonly #mark: RegExp;
  /** What tells a mark, and where it is not whole because somebody has cut the text. */
  readonly #start: string;
  readonly #broken: RegExp;
  /** JSON without its quotes, one character per byte, and its length as a string. */
  readonly #rests: { readonly json: string; readonly length: number }[] = [];
  #first = 0;

  constructor({ random, scanner }: LogSource, mayCut = /(?!)/) {
    // No log can have marks of its own.
    const key = random(8);
    this.#name = `text-${Buffer.from(key).toString('hex')}-`;
    this.cutting = scanner === 'off' ? undefined : { mayCut, mark: this.#name, key };
    // A mark ends with a quote: its backslashes tell how often it is JSON inside of JSON.
    this.#mark = new RegExp(`${this.#name}(\\d+)(\\\\*)"`, 'g');
    this.#start = this.#name.slice(0, 'text-'.length + 8);
    this.#broken = new RegExp(`${this.#start}(?!${this.#name.slice(this.#start.length)}\\d+\\\\+")`);
  }

  /** How many there were so far. */
  get count(): number {
    return this.#first + this.#rests.length;
  }

  /** Keeps the rest of the next text that was cut. */
  add(json: string, length: number): void {
    this.#rests.push({ json, length });
  }

  /** Nobody will ask for what was added before that many. */
  forgetBefore(count: number): void {
    this.#rests.splice(0, count - this.#first);
    this.#first = Math.max(this.#first, count);
  }

  /** JSON with its texts in full, in pieces: text, and behind it bytes, one to a character, and so on. */
  pieces(json: string): readonly string[] {
    if (!json.includes(this.#start)) return [json];
    if (this.#broken.test(json)) throw new LostText();
    // Between the texts are the number of a mark and its backslashes.
    const parts = json.split(this.#mark);
    const pieces = [parts[0] as string];
    for (let at = 1; at < parts.length; at += 3)
      pieces.push(this.#rest(parts[at] as string, (parts[at + 1] as string).length), parts[at + 2] as string);
    return pieces;
  }

  /** JSON with its texts in full. */
  wholeJson(json: string): string {
    return json.includes(this.#name)
      ? json.replace(this.#mark, (_mark, count: string, slashes: string) =>
          decodeUtf8(this.#rest(count, slashes.length)),
        )
      : json;
  }

  /** A text in full. */
  whole(text: string): string {
    if (!text.includes(this.#name)) return text;
    return text.replace(this.#mark, (_mark, count: string) => JSON.parse(`"${decodeUtf8(this.#rest(count, 1))}"`));
  }

  /** So much of the start of a text. */
  head(text: string, length: number): string {
    const [mark, count] = text.length < length + LONGEST_MARK ? (text.matchAll(this.#mark).next().value ?? []) : [];
    if (mark === undefined || count === undefined) return text.slice(0, length);
    const rest = this.#rest(count, 1);
    let end = length;
    // Not inside of an escape, which has up to six characters, nor of a character of several bytes.
    while (end < rest.length && /[\\\u0080-\u00ff]/.test(rest.slice(end - 6, end + 1))) end++;
    const head = text.replace(mark, () => JSON.parse(`"${decodeUtf8(rest.slice(0, end))}"`));
    return (head.length < length ? this.whole(text) : head).slice(0, length);
  }

  lengthOf(text: string): number {
    const at = text.length < LONGEST_MARK ? -1 : text.indexOf(this.#name);
    return at < 0 ? text.length : at + this.#at(text.slice(at + this.#name.length, -1)).length;
  }

  #rest(count: string, slashes: number): string {
    let rest = this.#at(count).json;
    for (let left = slashes; left > 1; left = (left - 1) / 2) rest = JSON.stringify(rest).slice(1, -1);
    return rest;
  }

  #at(count: string): { readonly json: string; readonly length: number } {
    const rest = this.#rests[Number(count) - this.#first];
    if (rest === undefined) throw new LostText();
    return rest;
  }
}
