import { gaps, matchSequences, type Pair, similarity, wordDiff } from './words.ts';

/** One entry of a side as the alignment needs it. */
export interface AlignmentKeys {
  /** What names it. */
  readonly id?: string | undefined;
  /** Equal where entries with one id are the same. */
  readonly exact?: string;
  /** Equal where entries say the same; undefined where it shall equal nothing. */
  readonly content?: string;
  /** The start of what the user said, for prompts: two of them may be two wordings of one. */
  readonly prompt?: string | undefined;
}

/** This much of a prompt shows whether it is another one reworded. */
export const PROMPT_CHARS = 2000;
const MIN_SIMILARITY = 0.3;
/** How many prompts further on a rewording is looked for. */
const LOOK_AHEAD = 4;
/** Entries out of order, beyond which only the first and the last ones are matched. */
const MAX_EDITS = 2000;

/** One step of the report; numbers are places in the two lists. Changed is one entry in two wordings. */
export type Step =
  | ({ readonly kind: 'same' } & Pair)
  | ({ readonly kind: 'changed' } & Pair)
  | { readonly kind: 'removed'; readonly a: number }
  | { readonly kind: 'added'; readonly b: number };

/** Entries that both sides name belong together, and of the others those that say the same. */
export function alignSides(a: readonly AlignmentKeys[], b: readonly AlignmentKeys[]): Step[] {
  const steps: Step[] = [];
  const gapsBy = (key: 'id' | 'content', from: Pair, to: Pair): Iterable<[from: Pair, to: Pair]> => {
    // What has no id, or no content, matches nothing by it.
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
      // A shared name promises the same entry; without one the same words are enough.
      const isNamed = left.id !== undefined && left.id === right.id;
      const isSame = isNamed ? left.exact === right.exact : left.content === right.content;
      steps.push({ kind: isSame ? 'same' : 'changed', ...to });
    }
  }
  return steps;
}

/** Side a, then side b, up to the next prompt that was reworded; there both meet. */
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
