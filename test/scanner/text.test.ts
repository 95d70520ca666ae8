import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Encoder, hasControls, makeControlSearch, makeEncoder } from '../../src/scanner/text.ts';
import { settings } from '../support/properties.ts';

const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const search = makeControlSearch() as (text: string) => boolean;

/** Any text in units of 16 bits, halves of pairs included. */
const units = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0xd83d, 0xde42)), {
    maxLength: 100,
  })
  .map((codes) => String.fromCharCode(...codes));

describe('the compiled search for control characters', () => {
  it('knows every character, wherever it stands', () => {
    const wrong: string[] = [];
    for (let code = 0; code < 0x10000; code++) {
      for (const before of [0, 15, 31, 40]) {
        const text = `${'x'.repeat(before)}${String.fromCharCode(code)}${'\n'.repeat(before % 7)}`;
        if (search(text) !== CONTROLS.test(text)) wrong.push(`${code.toString(16)} at ${before}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('sees no more of a text than there is, and all of a long one', () => {
    expect(search('\u0001'.repeat(100))).toBe(true);
    for (let length = 0; length < 70; length++) expect(search('x'.repeat(length))).toBe(false);
    for (const length of [65_535, 65_536, 65_537, 131_072, 200_000]) {
      expect(search('\u6f22'.repeat(length))).toBe(false);
      expect(search(`${'\u6f22'.repeat(length)}\u0085`)).toBe(true);
    }
  });

  it('takes over after a while without a difference', () => {
    const clean = 'words\r\n\t'.repeat(1000);
    for (let at = 0; at < 200; at++) {
      expect(hasControls(clean)).toBe(false);
      expect(hasControls(`${clean}\u001b`)).toBe(true);
      expect(hasControls('\u001b')).toBe(true);
    }
  });
});

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
