import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeldOutput } from '../../src/files/spool.ts';
import { settings } from '../support/properties.ts';

async function held(texts: readonly string[], most: number): Promise<string> {
  const output = new HeldOutput(randomBytes, new AbortController().signal, most);
  try {
    for (const text of texts) output.write(text);
    const chunks: Buffer[] = [];
    for await (const chunk of output.chunks()) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    output.close();
  }
}

describe('output that waits for what is before it', () => {
  it('gives back what was written, in memory and from the disk, however long', async () => {
    const long = fc
      .tuple(
        fc.constantFrom('x', '\u00e9', '\u6f22', '\u{1f642}', '\u{1f642}a', 'ab\u6f22'),
        fc.integer({ min: 0, max: 120_000 }),
      )
      .map(([piece, count]) => piece.repeat(count));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.string(), long), { maxLength: 5 }),
        fc.constantFrom(1, 300_000, 10_000_000),
        async (texts, most) => {
          const wanted = Buffer.from(texts.join('')).toString('utf8');
          expect((await held(texts, most)) === wanted).toBe(true);
        },
      ),
      settings(40),
    );
  });

  it('waits for what is still being written', async () => {
    const texts = Array.from({ length: 12 }, (_, at) => String(at % 10).repeat(60_000));
    for (let time = 0; time < 20; time++) expect((await held(texts, 1)) === texts.join('')).toBe(true);
  });

  it('cuts no pair of surrogates, wherever a piece ends', async () => {
    for (let before = 0; before < 3; before++) {
      const text = 'x'.repeat(before) + '\u{1f642}'.repeat(100_000);
      expect((await held([text], 1)) === text).toBe(true);
    }
  });
});
