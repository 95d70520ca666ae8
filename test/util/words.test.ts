import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/util/words.ts';

describe('nearest', () => {
  it('finds what was mistyped, cut short or written in another case', () => {
    expect(nearest('valdate', ['validate', 'migrate'])).toEqual(['validate']);
    expect(nearest('val', ['validate', 'migrate'])).toEqual(['validate']);
    expect(nearest('ABCD', ['abcd', 'abce'])).toEqual(['abcd']);
  });

  it('finds nothing near to a word of which no character is right', () => {
    expect(nearest('4', ['2', '3'])).toEqual([]);
    expect(nearest('zz', ['a', 'ab'])).toEqual([]);
    expect(nearest('', ['a'])).toEqual([]);
  });
});
