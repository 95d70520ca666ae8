import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Encoder, makeEncoder } from '../../src/scanner/text.ts';
import { settings } from '../support/properties.ts';

/** Any text in units of 16 bits, halves of pairs included. */
const units = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0xd83d, 0xde42)), {
    maxLength: 100,
  })
  .map((codes) => String.fromCharCode(...codes));

describe('the compiled encoder', () => {
  const encoder = makeEncoder(256 * 1024) as Encoder;
  const encoded = (text: string, at: number): string => {
    const bytes = encoder.encode(text, at);
    return encoder.memory.toString('hex', at, at + bytes);
  };

  it('writes the UTF-8 that a Buffer would', () => {
    fc.assert(
      fc.property(units, fc.integer({ min: 0, max: 70 }), (text, at) => {
        expect(encoded(text, at)).toBe(Buffer.from(text, 'utf8').toString('hex'));
      }),
      settings(2000),
    );
  });

  it('writes every character and half of one', () => {
    for (let code = 0; code < 0x10000; code += 64) {
      const text = String.fromCharCode(...Array.from({ length: 64 }, (_, at) => code + at));
      expect(encoded(text, 5)).toBe(Buffer.from(text, 'utf8').toString('hex'));
    }
  });

  it('takes a text of 65,536 characters, and changes nothing before it', () => {
    for (const piece of ['x', '\u00e9', '\u6f22', '\u{1f642}']) {
      const text = piece.repeat(65_536 / piece.length);
      encoder.memory.write('before');
      expect(encoder.encode(text, 6)).toBe(Buffer.byteLength(text));
      expect(encoder.memory.toString('utf8', 0, 6 + Buffer.byteLength(text)) === `before${text}`).toBe(true);
    }
  });
});
