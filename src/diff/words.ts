import { matchSequences } from './sequence.ts';

/** A piece of text that both sides have, or one side alone. */
export interface Segment {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Beyond this many characters only whole lines are compared, beyond the next only beginning and end. */
const MOST_WORD_CHARS = 4_000_000;
const MOST_LINE_CHARS = 64_000_000;
/** Prompts are compared by the thousand, so that no pair of them may take long. */
const MOST_EDITS = 300;

const LINES = /[^\n]*\n|[^\n]+/g;
const WORDS = /\s+|[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]/gu;

/**
 * What became of a text, word by word: `same` and `removed` together are the old text, `same` and `added` the new one.
 * Lines are compared first, words only where lines differ.
 */
export function wordDiff(before: string, after: string): Segment[] {
  const out = new Segments();
  if (before === after) {
    out.push('same', before);
    return out.done();
  }
  const size = before.length + after.length;
  if (size > MOST_LINE_CHARS) edges(before, after, out);
  else {
    compare(LINES, before, after, out, (oldLines, newLines) => {
      if (size > MOST_WORD_CHARS) edges(oldLines, newLines, out);
      else
        compare(WORDS, oldLines, newLines, out, (oldWords, newWords) => {
          out.push('removed', oldWords);
          out.push('added', newWords);
        });
    });
  }
  return out.done();
}

/** How much of two texts is the same, from 0 to 1, by characters. */
export function sameness(segments: readonly Segment[]): number {
  let same = 0;
  let total = 0;
  for (const segment of segments) {
    // White space is no likeness.
    const weight = segment.text.replace(/\s+/g, '').length;
    if (segment.kind === 'same') same += 2 * weight;
    total += segment.kind === 'same' ? 2 * weight : weight;
  }
  return total === 0 ? 1 : same / total;
}

function compare(
  pieces: RegExp,
  before: string,
  after: string,
  out: Segments,
  differs: (before: string, after: string) => void,
): void {
  const a = before.match(pieces) ?? [];
  const b = after.match(pieces) ?? [];
  let fromA = 0;
  let fromB = 0;
  for (const pair of [...matchSequences(a, b, MOST_EDITS), { a: a.length, b: b.length }]) {
    if (pair.a > fromA || pair.b > fromB) differs(a.slice(fromA, pair.a).join(''), b.slice(fromB, pair.b).join(''));
    if (pair.a < a.length) out.push('same', a[pair.a] as string);
    fromA = pair.a + 1;
    fromB = pair.b + 1;
  }
}

function edges(before: string, after: string, out: Segments): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++;
  // Half a surrogate pair is no character.
  if (/[\uD800-\uDBFF]/.test(before.charAt(start - 1))) start--;
  if (/[\uDC00-\uDFFF]/.test(before.charAt(before.length - end)) && end > 0) end--;
  out.push('same', before.slice(0, start));
  out.push('removed', before.slice(start, before.length - end));
  out.push('added', after.slice(start, after.length - end));
  out.push('same', before.slice(before.length - end));
}

/** Joins neighbours of a kind; within a change what was removed stands before what was added. */
class Segments {
  readonly #pieces: { kind: Segment['kind']; text: string }[] = [];

  push(kind: Segment['kind'], text: string): void {
    if (text === '') return;
    const last = this.#pieces.at(-1);
    const beforeLast = this.#pieces.at(-2);
    if (last?.kind === kind) last.text += text;
    else if (kind === 'removed' && last?.kind === 'added') {
      if (beforeLast?.kind === 'removed') beforeLast.text += text;
      else this.#pieces.splice(-1, 0, { kind, text });
    } else this.#pieces.push({ kind, text });
  }

  /** A lone blank between two changes of both sides makes no sense to a reader: it joins them. */
  done(): Segment[] {
    const joined = new Segments();
    this.#pieces.forEach((piece, index) => {
      if (piece.kind === 'same' && /^[^\S\n]+$/.test(piece.text) && this.#changesAround(index)) {
        joined.push('removed', piece.text);
        joined.push('added', piece.text);
      } else joined.push(piece.kind, piece.text);
    });
    return joined.#pieces;
  }

  #changesAround(index: number): boolean {
    const around = [this.#pieces[index - 1], this.#pieces[index + 1]];
    if (around.includes(undefined)) return false;
    const near = [...this.#pieces.slice(Math.max(0, index - 2), index), ...this.#pieces.slice(index + 1, index + 3)];
    return near.some((piece) => piece.kind === 'removed') && near.some((piece) => piece.kind === 'added');
  }
}
