import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedHash } from '../../src/util/keyed-hash.ts';
import { NONE, Symbols } from '../../src/util/symbols.ts';
import { settings } from '../support/properties.ts';

const KEY = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.string({ maxLength: 12 }),
  fc.constantFrom('', '\ud800', '\ud801', 'aa', '\u6161'),
);

describe('symbols', () => {
  it('give every text one number and the text back, from strings and from bytes', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 60 }), (all) => {
        const symbols = new Symbols(KEY);
        const distinct = [...new Set(all)];
        for (const text of all) {
          const isAscii = /^[\u0000-\u007f]*$/.test(text);
          const bytes = Buffer.from(`<${text}>`);
          const symbol = isAscii ? symbols.internBytes(bytes, 1, bytes.length - 1) : symbols.intern(text);
          expect(symbol).toBe(distinct.indexOf(text));
          expect([symbols.intern(text), symbols.find(text), symbols.text(symbol)]).toEqual([symbol, symbol, text]);
        }
        expect(symbols.size).toBe(distinct.length);
        expect(symbols.find('was never seen')).toBe(NONE);
      }),
      settings(200),
    );
  });

  it('keep texts that are longer than a page, and those behind them', () => {
    const symbols = new Symbols(KEY);
    const all = ['short', 'x'.repeat(3_000_000), 'y'.repeat(127), 'y'.repeat(128), '\u6161'.repeat(700_000), 'last'];
    const numbers = all.map((text) => symbols.intern(text));
    expect(numbers).toEqual([0, 1, 2, 3, 4, 5]);
    expect(numbers.map((symbol) => symbols.text(symbol))).toEqual(all);
    expect(all.map((text) => symbols.find(text))).toEqual(numbers);
  });
});

describe('the keyed hash', () => {
  it('is HalfSipHash-1-3 of the bytes, whatever is around them', () => {
    const bytes = Uint8Array.from({ length: 20 }, (_, at) => at);
    const hash = new KeyedHash(KEY);
    for (let length = 0; length < 16; length++) {
      expect(hash.of(bytes, 2, 2 + length)).toBe(hash.of(Uint8Array.from(bytes.subarray(2, 2 + length)), 0, length));
    }
  });

  it('differs by key, by length and by any bit', () => {
    const [one, other] = [new KeyedHash(KEY), new KeyedHash(KEY.toReversed())];
    const seen = new Set<number>();
    for (let length = 0; length < 9; length++) {
      const bytes = new Uint8Array(length);
      seen.add(one.of(bytes, 0, length));
      seen.add(other.of(bytes, 0, length));
      for (let bit = 0; bit < length * 8; bit++) {
        const flipped = Uint8Array.from(bytes, (_, at) => (at === bit >>> 3 ? 1 << (bit & 7) : 0));
        seen.add(one.of(flipped, 0, length));
      }
    }
    expect(seen.size).toBe(2 * 9 + 8 * 36);
  });
});
