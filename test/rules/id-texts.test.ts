import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdTexts } from '../../src/rules/id-texts.ts';
import { settings } from '../support/properties.ts';

describe('the ids that are kept for findings', () => {
  it('come back as they were given, from texts and from bytes', () => {
    const id = fc.option(fc.oneof(fc.uuid(), fc.constantFrom('', 'a', '猫'), fc.string({ maxLength: 9 })), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.tuple(id, fc.boolean()), { maxLength: 50 }), (all) => {
        const ids = new IdTexts();
        all.forEach(([text, asBytes], at) => {
          if (text === undefined) return;
          if (asBytes && /^[\u0000-\u007f]*$/.test(text)) ids.addBytes(at, Buffer.from(`0${text}0`), 1, text.length);
          else ids.add(at, text);
        });
        expect(all.map((_, at) => ids.get(at))).toEqual(all.map(([text]) => text));
      }),
      settings(300),
    );
  });
});
