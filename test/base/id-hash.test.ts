import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdHash, unpackedId } from '../../src/base/id-hash.ts';
import { settings } from '../support/properties.ts';

const key = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const digits = (all: string, length: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...all), { minLength: length, maxLength: length }).map((some) => some.join(''));
const id = fc.oneof(
  digits('0123456789abcdef', 8),
  digits('09afAFg/:`@', 8),
  digits('0f', 7),
  digits('0f', 9),
  fc.constantFrom('00000000', 'ffffffff', ''),
  fc.string({ maxLength: 12 }),
);

describe('the hash of an id', () => {
  it('holds the id where it has eight hex digits, and no other one', () => {
    fc.assert(
      fc.property(id, (text) => {
        const hash = new IdHash(key);
        hash.of(text);
        expect(hash.isPacked).toBe(/^[0-9a-f]{8}$/.test(text));
        if (hash.isPacked) expect(unpackedId(hash.high)).toBe(text);
      }),
      settings(500),
    );
  });

  it('is the same from text and from bytes, and another under another key', () => {
    fc.assert(
      fc.property(id, (text) => {
        fc.pre(/^[\u0000-\u007f]*$/.test(text));
        const [one, two, other] = [new IdHash(key), new IdHash(key), new IdHash(Uint8Array.of(8, 7, 6, 5, 4, 3, 2, 1))];
        one.of(text);
        two.ofBytes(Buffer.from(`<${text}>`), 1, text.length + 1);
        other.of(text);
        expect([two.low, two.high, two.isPacked]).toEqual([one.low, one.high, one.isPacked]);
        expect(other.low).not.toBe(one.low);
      }),
      settings(500),
    );
  });
});
