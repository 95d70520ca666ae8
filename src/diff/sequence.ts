import { diffArrays } from 'diff';

export interface Pair {
  readonly a: number;
  readonly b: number;
}

/** The search takes up to the square of the edits, and up to the edits times the length. */
const MOST_STEPS = 100_000_000;

/**
 * Which elements of two sequences belong together: pairs of equal ones, both numbers growing from pair to pair. Where
 * too much differs, only beginning and end are matched.
 */
export function matchSequences<T>(a: readonly T[], b: readonly T[], mostEdits: number): Pair[] {
  const pairs: Pair[] = [];
  let start = 0;
  let endA = a.length;
  let endB = b.length;
  while (start < endA && start < endB && a[start] === b[start]) pairs.push({ a: start, b: start++ });
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) pairs.push({ a: --endA, b: --endB });
  // What the other side lacks matches nothing, and without it the search is short.
  const left = placesOf(a, start, endA, new Set(b.slice(start, endB)));
  const right = placesOf(b, start, endB, new Set(a.slice(start, endA)));
  const value = (side: readonly T[], places: readonly number[]): T[] => places.map((at) => side[at] as T);
  const maxEditLength = Math.min(mostEdits, Math.ceil(MOST_STEPS / (left.length + right.length + 1)));
  let atA = 0;
  let atB = 0;
  for (const { added, removed, count } of diffArrays(value(a, left), value(b, right), { maxEditLength }) ?? []) {
    if (added) atB += count;
    else if (removed) atA += count;
    else for (let step = 0; step < count; step++) pairs.push({ a: left[atA++] as number, b: right[atB++] as number });
  }
  pairs.sort((one, other) => one.a - other.a);
  // Where there is a choice, what belongs together stands together: it joins what follows.
  for (let at = pairs.length - 1; at >= 0; at--) {
    const next = pairs[at + 1] ?? { a: a.length, b: b.length };
    const same = a[(pairs[at] as Pair).a];
    if (a[next.a - 1] === same && b[next.b - 1] === same) pairs[at] = { a: next.a - 1, b: next.b - 1 };
  }
  return pairs;
}

function placesOf<T>(side: readonly T[], start: number, end: number, wanted: ReadonlySet<T>): number[] {
  const places: number[] = [];
  for (let at = start; at < end; at++) if (wanted.has(side[at] as T)) places.push(at);
  return places;
}
