import { applySplices } from '../json/text.ts';
import { partitionPoint } from '../util/search.ts';
import { MARKER, type SecretHit } from './finder.ts';
import type { Unit } from './units.ts';

/** No pattern goes on behind it: texts that are joined by it are searched as if each were alone. */
const BETWEEN = '\n\0\n';
/** Takes the place of what was found, one for each character. It is white space to a pattern. */
export const BLANK = '\u2028';
const NOT_BLANK = /[^\u2028]+/g;

/** The texts of a line in one, for one search of all is faster than many of each. */
export class JoinedTexts {
  /** What is left to be searched: what was found is blank, and so are markers of earlier runs. */
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

  /** Calls back for each text with what is left of it, and a function that makes hits of all that. */
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

  /** The text that a hit is in, and where it is there. */
  placeOf({ start, end }: SecretHit): { readonly unit: Unit; readonly start: number; readonly end: number } {
    const at = partitionPoint(0, this.#starts.length, (one) => (this.#starts[one] as number) <= start) - 1;
    const from = this.#starts[at] as number;
    return { unit: this.#units[at] as Unit, start: start - from, end: end - from };
  }
}
