import { firstNot } from '../../base/search.ts';
/**
 * Which elements of two sequences belong together, in order. Anchors that occur once on each side come first (as people
 * compare), then the shortest edit script within limits; what stays too costly is left unmatched. So the work grows
 * about with the length, whatever the sequences hold.
 */

export interface Pair {
  readonly a: number;
  readonly b: number;
}

interface Region {
  readonly a0: number;
  readonly a1: number;
  readonly b0: number;
  readonly b1: number;
  readonly depth: number;
}

const MOST_DEPTH = 30;
/** Differences that the exact search goes through before it gives up on a region. */
const MOST_EDITS = 600;
/** Steps of the exact search for each element of the whole input. */
const STEPS_PER_ELEMENT = 40;
const LEAST_STEPS = 200_000;

/** Pairs of equal elements, both numbers growing from pair to pair: no element has two partners. */
export function matchSequences(a: ArrayLike<number>, b: ArrayLike<number>): Pair[] {
  const pairs: Pair[] = [];
  const waiting: Region[] = [{ a0: 0, a1: a.length, b0: 0, b1: b.length, depth: 0 }];
  const budget = { steps: Math.max(LEAST_STEPS, STEPS_PER_ELEMENT * (a.length + b.length)) };
  for (let region = waiting.pop(); region; region = waiting.pop()) {
    let { a0, a1, b0, b1 } = region;
    while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) pairs.push({ a: a0++, b: b0++ });
    while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) pairs.push({ a: --a1, b: --b1 });
    if (a0 === a1 || b0 === b1) continue;
    const inner: Region = { a0, a1, b0, b1, depth: region.depth + 1 };
    const anchors = region.depth < MOST_DEPTH ? anchorsOf(a, b, inner) : [];
    if (anchors.length === 0) {
      for (const pair of shortest(a, b, inner, budget)) pairs.push(pair);
      continue;
    }
    let fromA = a0;
    let fromB = b0;
    for (const anchor of anchors) {
      pairs.push(anchor);
      waiting.push({ a0: fromA, a1: anchor.a, b0: fromB, b1: anchor.b, depth: inner.depth });
      fromA = anchor.a + 1;
      fromB = anchor.b + 1;
    }
    waiting.push({ a0: fromA, a1, b0: fromB, b1, depth: inner.depth });
  }
  return pairs.sort((one, other) => one.a - other.a);
}

/** Elements that occur once on each side of the region, as many as keep their order on both. */
function anchorsOf(a: ArrayLike<number>, b: ArrayLike<number>, region: Region): Pair[] {
  const REPEATED = -1;
  const inA = new Map<number, number>();
  for (let at = region.a0; at < region.a1; at++) {
    const token = a[at] as number;
    inA.set(token, inA.has(token) ? REPEATED : at);
  }
  const inB = new Map<number, number>();
  for (let at = region.b0; at < region.b1; at++) {
    const token = b[at] as number;
    const where = inA.get(token);
    if (where === undefined || where === REPEATED) continue;
    inB.set(token, inB.has(token) ? REPEATED : at);
  }
  const candidates: Pair[] = [];
  // In the order of b, because a Map keeps the order in which its keys came.
  for (const [token, at] of inB) if (at !== REPEATED) candidates.push({ a: inA.get(token) as number, b: at });
  return longestRising(candidates);
}

/** The longest run of pairs whose `a` rises too. */
function longestRising(pairs: readonly Pair[]): Pair[] {
  const ends: number[] = [];
  const before = new Int32Array(pairs.length);
  pairs.forEach((pair, index) => {
    const run = firstNot(0, ends.length, (at) => (pairs[ends[at] as number] as Pair).a < pair.a);
    before[index] = run > 0 ? (ends[run - 1] as number) : -1;
    ends[run] = index;
  });
  const rising: Pair[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) rising.push(pairs[at] as Pair);
  return rising.reverse();
}

/** The shortest edit script of a region as the pairs that it keeps; none where it would cost too much. */
function shortest(a: ArrayLike<number>, b: ArrayLike<number>, region: Region, budget: { steps: number }): Pair[] {
  const { a0, b0 } = region;
  const lengthA = region.a1 - a0;
  const lengthB = region.b1 - b0;
  const most = Math.min(MOST_EDITS, lengthA + lengthB);
  const furthest = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = diagonal === -edits || (diagonal !== edits && at(furthest, middle + diagonal - 1) < at(furthest, middle + diagonal + 1));
      let x = down ? at(furthest, middle + diagonal + 1) : at(furthest, middle + diagonal - 1) + 1;
      let y = x - diagonal;
      const from = x;
      while (x < lengthA && y < lengthB && a[a0 + x] === b[b0 + y]) {
        x++;
        y++;
      }
      budget.steps -= x - from + 1;
      furthest[middle + diagonal] = x;
      if (x >= lengthA && y >= lengthB) return walkBack(trace, edits, lengthA, lengthB, region);
    }
    if (budget.steps < 0) return [];
    trace.push(furthest.slice(middle - edits, middle + edits + 1));
  }
  return [];
}

function walkBack(trace: readonly Int32Array[], edits: number, lengthA: number, lengthB: number, region: Region): Pair[] {
  const pairs: Pair[] = [];
  let x = lengthA;
  let y = lengthB;
  for (let left = edits; left >= 0; left--) {
    const diagonal = x - y;
    let fromX = 0;
    let fromY = 0;
    if (left > 0) {
      const row = trace[left - 1] as Int32Array;
      // A row holds the diagonals from -(left - 1) to left - 1.
      const read = (which: number): number => (Math.abs(which) <= left - 1 ? at(row, which + left - 1) : -1);
      const down = diagonal === -left || (diagonal !== left && read(diagonal - 1) < read(diagonal + 1));
      const previous = down ? diagonal + 1 : diagonal - 1;
      fromX = read(previous);
      fromY = fromX - previous;
      const startX = down ? fromX : fromX + 1;
      while (x > startX) pairs.push({ a: region.a0 + --x, b: region.b0 + --y });
      x = fromX;
      y = fromY;
    } else {
      while (x > 0 && y > 0) pairs.push({ a: region.a0 + --x, b: region.b0 + --y });
    }
  }
  return pairs;
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0;
}

/** Numbers for texts: equal texts get equal numbers. */
export class Interner {
  readonly #numbers = new Map<string, number>();

  number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}
