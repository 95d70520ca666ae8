import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdTexts } from '../../src/rules/id-texts.ts';
import { settings } from '../support/properties.ts';

describe('the ids that are kept for findings', () => {
  it('come back as they were given, from texts and from bytes, packed or not', () => {
    const digits = (all: string, length: number): fc.Arbitrary<string> =>
      fc.array(fc.constantFrom(...all), { minLength: length, maxLength: length }).map((some) => some.join(''));
    const id = fc.oneof(
      digits('0123456789abcdef', 8),
      digits('09afAFg/:`', 8),
      digits('0f', 7),
      digits('0f', 9),
      fc.constantFrom('00000000', 'ffffffff', ''),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.option(id, { nil: undefined }), fc.boolean()), { maxLength: 50 }), (all) => {
        const ids = new IdTexts();
        for (const [text, asBytes] of all) {
          if (!asBytes) ids.add(text);
          else ids.addBytes(Buffer.from(`0${text ?? ''}0`), 1, text?.length ?? -1);
        }
        expect(all.map((_, at) => ids.get(at))).toEqual(all.map(([text]) => text));
      }),
      settings(300),
    );
  });
});
