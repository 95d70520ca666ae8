import { gaps, matchSequences, type Pair, similarity, wordDiff } from './words.ts';

/** What an entry is aligned by. */
export interface AlignmentKeys {
  readonly id?: string | undefined;
  /** Equal if entries with the same id are identical. */
  readonly exact?: string;
  /** Equal if entries have the same content; undefined if it matches nothing. */
  readonly content?: string;
  /** The start of a user's prompt: two prompts may be rewordings of each other. */
  readonly prompt?: string | undefined;
}

/** How much of a prompt is compared to detect a rewording. */
export const PROMPT_CHARS = 2000;
const MIN_SIMILARITY = 0.3;
/** How many of the next prompts are searched for a rewording. */
const LOOK_AHEAD = 4;
/** With more edits than this, only the common start and end are matched. */
const MAX_EDITS = 2000;

/** A step of the report, with indexes into the two lists. 'changed' is one entry with two texts. */
export type Step =
  | ({ readonly kind: 'same' } & Pair)
  | ({ readonly kind: 'changed' } & Pair)
  | { readonly kind: 'removed'; readonly a: number }
  | { readonly kind: 'added'; readonly b: number };

/** Matches entries by id, and the others by content. */
export function alignSides(a: readonly AlignmentKeys[], b: readonly AlignmentKeys[]): Step[] {
  const steps: Step[] = [];
  const gapsBy = (key: 'id' | 'content', from: Pair, to: Pair): Iterable<[from: Pair, to: Pair]> => {
    // A missing key matches nothing.
    const left = a.slice(from.a, to.a).map((mark) => mark[key] ?? mark);
    const right = b.slice(from.b, to.b).map((mark) => mark[key] ?? mark);
    const inner = matchSequences<unknown>(left, right, MAX_EDITS);
    const pairs = inner.map((pair) => ({ a: from.a + pair.a, b: from.b + pair.b }));
    return gaps(from, pairs, to);
  };
  for (const outer of gapsBy('id', { a: 0, b: 0 }, { a: a.length, b: b.length })) {
    for (const [from, to] of gapsBy('content', ...outer)) {
      pushGap(a, b, from, to, steps);
      const left = a[to.a];
      const right = b[to.b];
      if (!left || !right) continue;
      // Entries with the same id must be identical; without an id the same content is enough.
      const isNamed = left.id !== undefined && left.id === right.id;
      const isSame = isNamed ? left.exact === right.exact : left.content === right.content;
      steps.push({ kind: isSame ? 'same' : 'changed', ...to });
    }
  }
  return steps;
}

/** Emits side a, then side b, up to the next reworded prompt. */
function pushGap(a: readonly AlignmentKeys[], b: readonly AlignmentKeys[], from: Pair, to: Pair, steps: Step[]): void {
  let { a: atA, b: atB } = from;
  const push = (until: Pair): void => {
    while (atA < until.a) steps.push({ kind: 'removed', a: atA++ });
    while (atB < until.b) steps.push({ kind: 'added', b: atB++ });
  };
  for (const pair of rewordings(prompts(a, from.a, to.a), prompts(b, from.b, to.b))) {
    push(pair);
    steps.push({ kind: 'changed', a: atA++, b: atB++ });
  }
  push(to);
}

type PromptMark = readonly [at: number, text: string];

function prompts(keys: readonly AlignmentKeys[], from: number, end: number): PromptMark[] {
  return keys
    .slice(from, end)
    .flatMap(({ prompt }, at) => (prompt === undefined ? [] : [[from + at, prompt] as const]));
}

function rewordings(a: readonly PromptMark[], b: readonly PromptMark[]): Pair[] {
  const pairs: Pair[] = [];
  let next = 0;
  for (const [at, text] of a) {
    const near = b.slice(next, next + LOOK_AHEAD);
    const found = near.findIndex(([, other]) => similarity(wordDiff(text, other)) >= MIN_SIMILARITY);
    if (found < 0) continue;
    pairs.push({ a: at, b: (near[found] as PromptMark)[0] });
    next += found + 1;
  }
  return pairs;
}
