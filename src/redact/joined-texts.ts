import { applySplices } from '../json/text.ts';
import { partitionPoint } from '../util/search.ts';
import { MARKER, type SecretHit } from './finder.ts';
import type { Unit } from './units.ts';

/** A separator that no pattern crosses: joined texts are searched as if each were alone. */
const BETWEEN = '\n\0\n';
/** Replaces each character of what was found. Patterns treat it as white space. */
export const BLANK = '\u2028';
const NOT_BLANK = /[^\u2028]+/g;

/** All texts of a line joined, because one search is faster than many. */
export class JoinedTexts {
  /** The text left to search: what was found is blanked out, and so are markers of earlier runs. */
  rest: string;
  readonly #units: readonly Unit[];
  readonly #starts: number[] = [];

  constructor(units: readonly Unit[]) {
    this.#units = units.filter(({ type }) => type !== 'json');
    let end = 0;
    for (const { text } of this.#units) {
      this.#starts.push(end);
      end += text.length + BETWEEN.length;
    }
    const texts = this.#units.map(({ text }) => text);
    this.rest = texts.join(BETWEEN).replace(MARKER, (marker) => BLANK.repeat(marker.length));
  }

  /** Calls `work` with each text's remaining part, and a function that turns that into hits. */
  forEach(work: (unit: Unit, left: string, hits: (kind: string) => SecretHit[]) => void): void {
    this.#units.forEach((unit, at) => {
      const start = this.#starts[at] as number;
      const left = this.rest.slice(start, start + unit.text.length);
      work(unit, left.replaceAll(BLANK, ''), (kind) =>
        [...left.matchAll(NOT_BLANK)].map(({ 0: value, index }) => {
          return { start: start + index, end: start + index + value.length, kind, value };
        }),
      );
    });
  }

  blank(hits: readonly SecretHit[]): void {
    const splices = hits.map(({ start, end }) => ({ start, end, text: BLANK.repeat(end - start) }));
    this.rest = applySplices(this.rest, splices);
  }

  /** The text that contains a hit, and the hit's range there. */
  placeOf({ start, end }: SecretHit): { readonly unit: Unit; readonly start: number; readonly end: number } {
    const at = partitionPoint(0, this.#starts.length, (one) => (this.#starts[one] as number) <= start) - 1;
    const from = this.#starts[at] as number;
    return { unit: this.#units[at] as Unit, start: start - from, end: end - from };
  }
}
