import { describe, expect, it } from 'vitest';
import { printable } from '../../src/util/printable.ts';

describe('text for a terminal', () => {
  it.each([
    'a heart \u2764\ufe0f and a warning \u26a0\ufe0f',
    'a family \u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
    'a scientist \u{1f469}\u{1f3fd}\u200d\u{1f52c}',
    'a rainbow flag \u{1f3f3}\ufe0f\u200d\u{1f308}',
    'a key 1\ufe0f\u20e3',
  ])('keeps what makes one emoji of several characters: %s', (text) => {
    expect(printable(text)).toBe(text);
  });

  it('shows them everywhere else, where nobody would see them', () => {
    expect(printable('a\ufe0fb')).toBe('a\\ufe0fb');
    expect(printable('\u2764\ufe0f\ufe0f')).toBe('\u2764\ufe0f\\ufe0f');
    expect(printable('pay\u200dpal')).toBe('pay\\u200dpal');
    expect(printable('\u{1f600}\u200dx')).toBe('\u{1f600}\\u200dx');
    expect(printable('x\u200d\u{1f600}')).toBe('x\\u200d\u{1f600}');
    expect(printable('\u{1f468}\u200d\u200d\u{1f467}')).toBe('\u{1f468}\\u200d\\u200d\u{1f467}');
    expect(printable('1\ufe0f')).toBe('1\\ufe0f');
  });
});
