import { matchSequences, type Pair } from './sequence.ts';
import { sameness, wordDiff } from './words.ts';

/** One entry of a side as the alignment needs it. */
export interface Mark {
  /** What names it; undefined where it has none. */
  readonly id?: string | undefined;
  /** Equal where the entries are the same, the name included. */
  readonly exact: string;
  /** Equal where they say the same. */
  readonly content: string;
  /** The start of what the user said, for prompts: two of them may be two wordings of one. */
  readonly prompt?: string | undefined;
}

/** This much of a prompt shows whether it is another one reworded. */
export const PROMPT_CHARS = 2000;
const LEAST_LIKENESS = 0.3;
/** How many prompts further on a rewording is looked for. */
const LOOK_AHEAD = 4;
/** Entries out of order, beyond which only the first and the last ones are matched. */
const MOST_EDITS = 2000;

/** One step of the report; numbers are places in the two lists. */
export type Step =
  | { readonly kind: 'same'; readonly a: number; readonly b: number }
  | { readonly kind: 'removed'; readonly a: number }
  | { readonly kind: 'added'; readonly b: number }
  /** One entry in two wordings: the same id, or prompts that stand in the same place. */
  | { readonly kind: 'changed'; readonly a: number; readonly b: number };

/** Entries that both sides name belong together, and of the others those that say the same. */
export function alignSides(a: readonly Mark[], b: readonly Mark[]): Step[] {
  const byId = matchById(a, b);
  const pairs: Pair[] = [];
  let fromA = 0;
  let fromB = 0;
  for (const pair of [...byId, { a: a.length, b: b.length }]) {
    const left = a.slice(fromA, pair.a).map((mark) => mark.content);
    const right = b.slice(fromB, pair.b).map((mark) => mark.content);
    for (const inner of matchSequences(left, right, MOST_EDITS)) pairs.push({ a: fromA + inner.a, b: fromB + inner.b });
    if (pair.a < a.length) pairs.push(pair);
    fromA = pair.a + 1;
    fromB = pair.b + 1;
  }
  return stepsOf(a, b, pairs);
}

/** Nothing belongs together: two branches behind the entry where they part. Only prompts may be rewordings. */
export function partSides(a: readonly Pick<Mark, 'prompt'>[], b: readonly Pick<Mark, 'prompt'>[]): Step[] {
  const steps: Step[] = [];
  pushGap(a, b, 0, a.length, 0, b.length, steps);
  return steps;
}

function matchById(a: readonly Mark[], b: readonly Mark[]): Pair[] {
  // An entry without an id matches nothing by it.
  const ids = (marks: readonly Mark[]): unknown[] => marks.map((mark) => mark.id ?? mark);
  return matchSequences(ids(a), ids(b), MOST_EDITS);
}

function stepsOf(a: readonly Mark[], b: readonly Mark[], pairs: readonly Pair[]): Step[] {
  const steps: Step[] = [];
  let fromA = 0;
  let fromB = 0;
  for (const pair of [...pairs, { a: a.length, b: b.length }]) {
    pushGap(a, b, fromA, pair.a, fromB, pair.b, steps);
    const left = a[pair.a];
    const right = b[pair.b];
    if (left && right) {
      // A shared name promises the same entry; without one the same words are enough.
      const same =
        left.id !== undefined && left.id === right.id ? left.exact === right.exact : left.content === right.content;
      steps.push({ kind: same ? 'same' : 'changed', ...pair });
    }
    fromA = pair.a + 1;
    fromB = pair.b + 1;
  }
  return steps;
}

/** Side a, then side b, up to the next prompt that was reworded; there both meet. */
function pushGap(
  a: readonly Pick<Mark, 'prompt'>[],
  b: readonly Pick<Mark, 'prompt'>[],
  a0: number,
  a1: number,
  b0: number,
  b1: number,
  steps: Step[],
): void {
  let atA = a0;
  let atB = b0;
  for (const pair of rewordings(prompts(a, a0, a1), prompts(b, b0, b1))) {
    while (atA < pair.a) steps.push({ kind: 'removed', a: atA++ });
    while (atB < pair.b) steps.push({ kind: 'added', b: atB++ });
    steps.push({ kind: 'changed', a: atA++, b: atB++ });
  }
  while (atA < a1) steps.push({ kind: 'removed', a: atA++ });
  while (atB < b1) steps.push({ kind: 'added', b: atB++ });
}

interface Prompt {
  readonly at: number;
  readonly text: string;
}

function prompts(marks: readonly Pick<Mark, 'prompt'>[], from: number, end: number): Prompt[] {
  const found: Prompt[] = [];
  for (let at = from; at < end; at++) {
    const text = marks[at]?.prompt;
    if (text !== undefined) found.push({ at, text });
  }
  return found;
}

function rewordings(a: readonly Prompt[], b: readonly Prompt[]): Pair[] {
  const pairs: Pair[] = [];
  let next = 0;
  for (const prompt of a) {
    const found = b
      .slice(next, next + LOOK_AHEAD)
      .findIndex((other) => sameness(wordDiff(prompt.text, other.text)) >= LEAST_LIKENESS);
    if (found < 0) continue;
    pairs.push({ a: prompt.at, b: (b[next + found] as Prompt).at });
    next += found + 1;
  }
  return pairs;
}
