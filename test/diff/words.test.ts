import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchSequences, type Segment, similarity, wordDiff } from '../../src/diff/words.ts';
import { settings } from '../support/properties.ts';

function oldText(segments: readonly Segment[]): string {
  return segments
    .filter((segment) => segment.kind !== 'added')
    .map((segment) => segment.text)
    .join('');
}

function newText(segments: readonly Segment[]): string {
  return segments
    .filter((segment) => segment.kind !== 'removed')
    .map((segment) => segment.text)
    .join('');
}

/** Few different words, so that much repeats. */
const text = fc
  .array(
    fc.constantFrom('the', 'cart', 'a', 'b', ' ', '  ', '\n', '.', 'é', '猫', '🙂', '\t', '\r\n', '_x1', '\uD83D'),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('the word diff', () => {
  it('gives both texts back when it is applied, each from its own segments', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const segments = wordDiff(before, after);
        expect(oldText(segments)).toBe(before);
        expect(newText(segments)).toBe(after);
      }),
      settings(2000),
    );
  });

  it('is empty of changes for a text and itself, and only then', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(wordDiff(before, before).every((segment) => segment.kind === 'same')).toBe(true);
        expect(wordDiff(before, after).every((segment) => segment.kind === 'same')).toBe(before === after);
      }),
      settings(500),
    );
  });

  it('never puts two segments of a kind side by side and none that is empty', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const segments = wordDiff(before, after);
        segments.forEach((segment, index) => {
          expect(segment.text).not.toBe('');
          expect(segment.kind).not.toBe(segments[index + 1]?.kind);
        });
      }),
      settings(500),
    );
  });

  it('names the words that differ and leaves the others', () => {
    expect(wordDiff('Fix the cart test', 'Fix the basket test, please')).toEqual([
      { kind: 'same', text: 'Fix the ' },
      { kind: 'removed', text: 'cart' },
      { kind: 'added', text: 'basket' },
      { kind: 'same', text: ' test' },
      { kind: 'added', text: ', please' },
    ]);
  });

  it('joins neighboring replaced words to one change', () => {
    expect(wordDiff('one two three', 'uno due three')).toEqual([
      { kind: 'removed', text: 'one two' },
      { kind: 'added', text: 'uno due' },
      { kind: 'same', text: ' three' },
    ]);
  });

  it('joins changes of both sides over a lone blank, and leaves the blank between changes of one side', () => {
    expect(wordDiff('one ', ' neu')).toEqual([
      { kind: 'removed', text: 'one ' },
      { kind: 'added', text: ' neu' },
    ]);
    expect(wordDiff('a b c', 'c')).toEqual([
      { kind: 'removed', text: 'a b ' },
      { kind: 'same', text: 'c' },
    ]);
  });

  it('tells likeness apart from unlikeness', () => {
    expect(similarity(wordDiff('fix the cart test', 'fix the basket test'))).toBeGreaterThan(0.5);
    expect(similarity(wordDiff('fix the cart test', 'write me a poem'))).toBeLessThan(0.3);
    expect(similarity(wordDiff('', ''))).toBe(1);
    expect(similarity(wordDiff('the same text', 'the same text'))).toBe(1);
    expect(similarity(wordDiff('one', 'two'))).toBe(0);
  });

  it('finds its way through megabytes, also where every word repeats', () => {
    const words = Array.from({ length: 120_000 }, (_, index) => `w${(index * 7919) % 5003}`);
    const other = words.map((word, index) => (index % 1000 === 0 ? `${word}x` : word));
    const segments = wordDiff(words.join(' '), other.join(' '));
    expect(oldText(segments)).toBe(words.join(' '));
    expect(segments.filter((segment) => segment.kind === 'added').length).toBe(120);
    const same = 'a '.repeat(300_000);
    const shifted = 'b a '.repeat(200_000);
    expect(newText(wordDiff(same, shifted))).toBe(shifted);
    const reversed = words.toReversed();
    expect(newText(wordDiff(words.join('\n'), reversed.join('\n')))).toBe(reversed.join('\n'));
  });

  it('compares lines beyond millions of characters by their beginnings and ends, and cuts no character in two', () => {
    const long = 'z'.repeat(2_100_000);
    expect(wordDiff(`a${long}🙂 one`, `b${long}🙂 one`)).toEqual([
      { kind: 'removed', text: 'a' },
      { kind: 'added', text: 'b' },
      { kind: 'same', text: `${long}🙂 one` },
    ]);
    // The two faces share their first half; a face and a sign of another plane share their second.
    for (const [before, after] of [
      ['🙂', '🙃'],
      ['🙂', '\u{10E42}'],
    ]) {
      expect(wordDiff(`${long}${before} end`, `${long}${after} end`)).toEqual([
        { kind: 'same', text: long },
        { kind: 'removed', text: before },
        { kind: 'added', text: after },
        { kind: 'same', text: ' end' },
      ]);
    }
  });
});

describe('the matching of sequences', () => {
  const numbers = fc.array(fc.nat(6), { maxLength: 30 });

  it('gives pairs of equal elements in order, and no element two partners', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const pairs = matchSequences(a, b, 100);
        pairs.forEach((pair, index) => {
          expect(a[pair.a]).toBe(b[pair.b]);
          const before = pairs[index - 1];
          if (!before) return;
          expect(pair.a).toBeGreaterThan(before.a);
          expect(pair.b).toBeGreaterThan(before.b);
        });
      }),
      settings(2000),
    );
  });

  it('matches a sequence with itself wholly, and any sequence within what is possible', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        expect(matchSequences(a, a, 100).length).toBe(a.length);
        expect(matchSequences(a, b, 100).length).toBeLessThanOrEqual(longestCommon(a, b));
      }),
      settings(500),
    );
  });

  it('finds the longest common subsequence where no element stands out', () => {
    const pairs = fc.tuple(
      fc.array(fc.nat(1), { minLength: 4, maxLength: 30 }),
      fc.array(fc.nat(1), { minLength: 4, maxLength: 30 }),
    );
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        // Doubling every element leaves nothing unique, so that the exact search decides alone.
        const twice = (list: readonly number[]): number[] => list.flatMap((value) => [value, value]);
        const [left, right] = [twice(a), twice(b)];
        if (new Set(a).size < 2 || new Set(b).size < 2) return;
        expect(matchSequences(left, right, 200).length).toBe(longestCommon(left, right));
      }),
      settings(500),
    );
  });
});

/** The plain table, to compare with. */
function longestCommon(a: readonly number[], b: readonly number[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const one of a) {
    const next = [0];
    for (let at = 1; at <= b.length; at++) {
      next.push(one === b[at - 1] ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
