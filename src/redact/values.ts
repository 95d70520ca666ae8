import { createHash } from 'node:crypto';
import type { SecretHit, TakeHits } from './finder.ts';

/** Shorter values are only replaced where they were found: elsewhere they may be any word. */
const SHORTEST_SEARCHED = 6;
/** Values of this length are also searched inside words. */
const SURELY_ONE = 16;
/** How many values one pattern searches. */
const MAX_IN_ONE = 200;
/** Longer values are stored as a hash. */
const LONGEST_KEY = 100;

/** Kinds whose pattern finds every occurrence, or with too many values. */
const NOT_SEARCHED = new Set(['content', 'email', 'high-entropy', 'home', 'thinking']);

/** The values of one run: their markers, and where they occur. */
export class Values {
  readonly #markers = new Map<string, string>();
  readonly #numbers = new Map<string, number>();
  readonly #groups: ValueGroup[] = [];
  readonly #onNew: ((marker: string, kind: string, value: string) => void) | undefined;

  constructor(onNew?: (marker: string, kind: string, value: string) => void) {
    this.#onNew = onNew;
  }

  /** The marker of a value; the same for the whole run. */
  marker(kind: string, value: string): string {
    const key = value.length > LONGEST_KEY ? createHash('sha256').update(value).digest('base64') : value;
    const known = this.#markers.get(key);
    if (known !== undefined) return known;
    const number = (this.#numbers.get(kind) ?? 0) + 1;
    this.#numbers.set(kind, number);
    const marker = `[redacted:${kind}:${number}]`;
    this.#markers.set(key, marker);
    this.#onNew?.(marker, kind, value);
    if (!NOT_SEARCHED.has(kind) && (kind === 'user' || isSearched(value))) this.#searchFor(kind, value);
    return marker;
  }

  #searchFor(kind: string, value: string): void {
    const last = this.#groups.at(-1);
    const group = last && last.size < MAX_IN_ONE ? last : new ValueGroup();
    if (group !== last) this.#groups.push(group);
    group.add(kind, value);
  }

  /** False only if the raw text of a line has none of the values. */
  mayHold(raw: string): boolean {
    return this.#groups.some((group) => group.mayHold(raw));
  }

  /** Finds the values in a text. */
  find(text: string, take: TakeHits): void {
    let rest = text;
    for (const group of this.#groups) {
      const hits = group.find(rest);
      if (hits.length > 0) rest = take(hits);
    }
  }
}

/** A password that is a word occurs in other texts too. */
function isSearched(value: string): boolean {
  return value.length >= SHORTEST_SEARCHED && (value.length >= SURELY_ONE || !/^[A-Za-z]+$/.test(value));
}

/** After this many lines without a new value, a pattern for all values is worth compiling. */
const WORTH_A_PATTERN = 50;

class ValueGroup {
  /** By spelling: unchanged, and with the escapes of JSON inside JSON. */
  readonly #spelled = new Map<string, Pick<SecretHit, 'kind' | 'value'>>();
  /** The longest part of each value that JSON never escapes. */
  readonly #anchors: string[] = [];
  #hint: RegExp | undefined;
  #searches = 0;

  get size(): number {
    return this.#anchors.length;
  }

  add(kind: string, value: string): void {
    const once = JSON.stringify(value).slice(1, -1);
    for (const spelled of [value, once, JSON.stringify(once).slice(1, -1)]) this.#spelled.set(spelled, { kind, value });
    this.#anchors.push((value.match(/[\w-]+/g) ?? []).reduce((a, b) => (a.length < b.length ? b : a), ''));
    this.#hint = undefined;
    this.#searches = 0;
  }

  mayHold(text: string): boolean {
    if (!this.#hint && ++this.#searches > WORTH_A_PATTERN)
      this.#hint = new RegExp(this.#anchors.map(escaped).join('|'));
    return this.#hint ? this.#hint.test(text) : this.#anchors.some((anchor) => text.includes(anchor));
  }

  find(text: string): SecretHit[] {
    const present = this.mayHold(text) ? [...this.#spelled.keys()].filter((spelled) => text.includes(spelled)) : [];
    if (present.length === 0) return [];
    // The longest first, because one value may be part of another.
    present.sort((a, b) => b.length - a.length);
    const hits: SecretHit[] = [];
    for (const { 0: spelled, index } of text.matchAll(new RegExp(present.map(bounded).join('|'), 'g'))) {
      const found = this.#spelled.get(spelled);
      if (found) hits.push({ ...found, start: index, end: index + spelled.length });
    }
    return hits;
  }
}

function bounded(value: string): string {
  return value.length >= SURELY_ONE ? escaped(value) : `(?<![A-Za-z0-9])${escaped(value)}(?![A-Za-z0-9])`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
