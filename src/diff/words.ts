import { diffArrays } from 'diff';

/** Indexes of two matching elements. */
export interface Pair {
  readonly a: number;
  readonly b: number;
}

/** A piece of text that both sides or only one side has. */
export interface Segment {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** For longer texts, only the common start and end of differing lines are removed. */
const MAX_WORD_CHARS = 4_000_000;
/** Thousands of prompts may be compared, so no pair may take long. */
const MAX_EDITS = 300;
/** The search may take the square of the edits, and the edits times the length. */
const MAX_STEPS = 100_000_000;

const LINES = /[^\n]*\n|[^\n]+/g;
const WORDS = /\s+|[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]/gu;

/** Pairs of equal elements of two sequences, in order; only at the start and the end if too much differs. */
export function matchSequences<T>(a: readonly T[], b: readonly T[], maxEdits: number): Pair[] {
  const pairs: Pair[] = [];
  let start = 0;
  let endA = a.length;
  let endB = b.length;
  while (start < endA && start < endB && a[start] === b[start]) pairs.push({ a: start, b: start++ });
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) pairs.push({ a: --endA, b: --endB });
  const placesOf = (side: readonly T[], end: number, others: ReadonlySet<T>): number[] =>
    Array.from({ length: end - start }, (_, at) => start + at).filter((at) => others.has(side[at] as T));
  // Elements that the other side lacks match nothing; without them the search is short.
  const left = placesOf(a, endA, new Set(b.slice(start, endB)));
  const right = placesOf(b, endB, new Set(a.slice(start, endA)));
  const maxEditLength = Math.min(maxEdits, Math.ceil(MAX_STEPS / (left.length + right.length + 1)));
  const comparator = (one: number, other: number): boolean => a[one] === b[other];
  let atA = 0;
  let atB = 0;
  for (const { added, removed, count } of diffArrays(left, right, { maxEditLength, comparator }) ?? []) {
    if (added) atB += count;
    else if (removed) atA += count;
    else for (let step = 0; step < count; step++) pairs.push({ a: left[atA++] as number, b: right[atB++] as number });
  }
  pairs.sort((one, other) => one.a - other.a);
  // If there is a choice, an element is matched next to the pair that follows.
  for (let at = pairs.length - 1; at >= 0; at--) {
    const next = pairs[at + 1] ?? { a: a.length, b: b.length };
    const same = a[(pairs[at] as Pair).a];
    if (a[next.a - 1] === same && b[next.b - 1] === same) pairs[at] = { a: next.a - 1, b: next.b - 1 };
  }
  return pairs;
}

/** Same text, followed by a difference. */
type Chunk = Record<Segment['kind'], string>;

/** Compares lines first, and words only where lines differ. */
export function wordDiff(before: string, after: string): Segment[] {
  const chunks: Chunk[] = [{ same: '', removed: '', added: '' }];
  const put = (kind: Segment['kind'], text: string): void => {
    const last = chunks.at(-1) as Chunk;
    if (kind !== 'same' || (last.removed === '' && last.added === '')) last[kind] += text;
    else if (text !== '') chunks.push({ same: text, removed: '', added: '' });
  };
  const change = (removed: string, added: string): void => {
    put('removed', removed);
    put('added', added);
  };
  const edges = (removed: string, added: string): void => {
    const [start, end] = commonEdges(removed, added);
    put('same', removed.slice(0, start));
    change(removed.slice(start, removed.length - end), added.slice(start, added.length - end));
    put('same', removed.slice(removed.length - end));
  };
  const isLong = before.length + after.length > MAX_WORD_CHARS;
  const inLines = isLong ? edges : pieceDiff(WORDS, put, change);
  pieceDiff(LINES, put, inLines)(before, after);
  const kinds = ['same', 'removed', 'added'] as const;
  return joinChunks(chunks)
    .flatMap((chunk) => kinds.map((kind) => ({ kind, text: chunk[kind] })))
    .filter(({ text }) => text !== '');
}

/** The ranges between pairs, each with the pair after it; the last one with the end. */
export function* gaps(start: Pair, pairs: readonly Pair[], end: Pair): Generator<[from: Pair, to: Pair]> {
  let from = start;
  for (const to of [...pairs, end]) {
    yield [from, to];
    from = { a: to.a + 1, b: to.b + 1 };
  }
}

function pieceDiff(
  pieces: RegExp,
  put: (kind: 'same', text: string) => void,
  differs: (before: string, after: string) => void,
): (before: string, after: string) => void {
  return (before, after) => {
    const a = before.match(pieces) ?? [];
    const b = after.match(pieces) ?? [];
    const pairs = matchSequences(a, b, MAX_EDITS);
    for (const [from, to] of gaps({ a: 0, b: 0 }, pairs, { a: a.length, b: b.length })) {
      const [removed, added] = [a.slice(from.a, to.a).join(''), b.slice(from.b, to.b).join('')];
      if (removed !== '' || added !== '') differs(removed, added);
      put('same', a[to.a] ?? '');
    }
  };
}

/** The length of the common start and of the common end of two texts. */
function commonEdges(before: string, after: string): [start: number, end: number] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  // Do not cut a surrogate pair.
  if (/[\uD800-\uDBFF]/.test(before.charAt(start - 1))) start--;
  if (/[\uDC00-\uDFFF]/.test(before.charAt(before.length - end)) && end > 0) end--;
  return [start, end];
}

/** Joins two changes with only a space between them, which would be hard to read. */
function joinChunks(chunks: readonly Chunk[]): Chunk[] {
  const joined: Chunk[] = [];
  chunks.forEach((chunk, at) => {
    const { same, removed, added } = chunk;
    const before = chunks[at - 1];
    const last = joined.at(-1);
    const isBlank = /^[^\S\n]+$/.test(same) && (removed !== '' || added !== '');
    if (before && last && isBlank && before.removed + removed !== '' && before.added + added !== '') {
      last.removed += same + removed;
      last.added += same + added;
    } else joined.push({ ...chunk });
  });
  return joined;
}

/** How similar two texts are by characters, from 0 to 1. */
export function similarity(segments: readonly Segment[]): number {
  const weights = { same: 0, removed: 0, added: 0 };
  // White space does not count.
  for (const { kind, text } of segments) weights[kind] += text.replace(/\s+/g, '').length;
  const both = 2 * weights.same;
  return both + weights.removed + weights.added === 0 ? 1 : both / (both + weights.removed + weights.added);
}
