import { describe, expect, it } from 'vitest';
import width, { cutToWidth } from '../../src/util/width.ts';

describe('the width of a text on a terminal', () => {
  it.each([
    ['abc', 3],
    ['\u00e9 e\u0301', 3],
    ['\u65e5\u672c', 4],
    // Korean in syllables, and in the letters that they are made of.
    ['\ud55c', 2],
    ['\u1112\u1161\u11ab', 2],
    ['\uff21\uff61', 3],
    ['\u2705', 2],
    ['\u26a1\u231a\u2b50\u274c\u2795', 10],
    ['\u{1f600}\u{1f680}\u{1f9e0}\u{1fae0}\u{1f7e2}\u{1f004}', 12],
    // One column, and two where a variation selector asks for a picture.
    ['\u2714\u263a', 2],
    ['\u2714\ufe0f\u263a\ufe0f', 4],
    ['1\ufe0f\u20e3', 2],
    ['\u2705\ufe0f', 2],
    // A hand in a tone of skin, a family, a heart on fire, and what is not joined.
    ['\u{1f44d}\u{1f3fd}', 2],
    ['\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}', 2],
    ['\u2764\ufe0f\u200d\u{1f525}', 2],
    ['\u2764\ufe0e', 1],
    ['\u{1f468}\u{1f469}', 4],
    // A flag is two letters.
    ['\u{1f1e9}\u{1f1ea}', 2],
    ['\u001b[31mred\u001b[39m', 3],
    ['\u2500\u25cf', 2],
  ])('of %j is %i', (text, columns) => {
    expect(width(text)).toBe(columns);
  });

  it('is never more than asked for where it is cut', () => {
    const text = '\u2705 a \u2714\ufe0f b \u{1f600}\u65e5 c 1\ufe0f\u20e3 d \u26a1\u26a1\u26a1';
    for (let columns = 0; columns <= width(text); columns++) {
      const cut = cutToWidth(text, columns);
      expect(width(cut)).toBeLessThanOrEqual(columns);
      expect(width(cut)).toBeGreaterThanOrEqual(Math.min(columns, width(text)) - 2);
    }
    expect(cutToWidth(text, width(text))).toBe(text);
    expect([0, 1, 3, 4, 5].map((columns) => cutToWidth('plain', columns))).toEqual(['', '…', 'pl…', 'pla…', 'plain']);
    expect(cutToWidth('\u2714\ufe0f\u2714\ufe0f', 3)).toBe('\u2714\ufe0f\u2026');
  });
});
