/** A small generator of numbers that gives the same on every machine (mulberry32). */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS =
  'the of and to in is for that with line file test error value function return const import from result path agent session log entry parse byte größe naïve 漢字 🙂 —'.split(
    ' ',
  );

/** Pieces of text for the data: the same for the same numbers. */
export class Texts {
  readonly base64: string;
  readonly #random: () => number;
  readonly #text: string;

  constructor(random: () => number) {
    this.#random = random;
    this.#text = this.#words(60_000);
    let base64 = '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    for (let at = 0; at < 30_000; at++) base64 += alphabet[Math.floor(random() * 64)];
    this.base64 = base64;
  }

  /** Short ones are more frequent. */
  slice(least: number, most: number): string {
    const length = Math.floor(least + this.#random() ** 2 * (most - least));
    let start = Math.floor(this.#random() * (this.#text.length - length));
    let end = start + length;
    // Never half of a surrogate pair: other readers stop there.
    if (isLow(this.#text.charCodeAt(start))) start++;
    if (isLow(this.#text.charCodeAt(end))) end++;
    return this.#text.slice(start, end);
  }

  uuid(): string {
    const hex = this.hex(32);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  hex(digits: number): string {
    return Array.from({ length: digits }, () => Math.floor(this.#random() * 16).toString(16)).join('');
  }

  #words(length: number): string {
    let text = '';
    while (text.length < length) {
      const draw = this.#random();
      // Few lines of a real log are not ASCII; those that are, are so here and there.
      const word = WORDS[Math.floor(draw * (this.#random() < 0.97 ? 25 : WORDS.length))] as string;
      text += draw < 0.05 ? `${word}\n` : draw < 0.08 ? `"${word}" ` : `${word} `;
    }
    return text;
  }
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
