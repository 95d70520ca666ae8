import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRanges } from '../../src/lines/ranges.ts';
import { readLines } from '../../src/lines/reader.ts';
import { settings } from '../support/properties.ts';

interface Seen {
  number: number;
  offset: number;
  raw: string;
  terminated: boolean;
  oversize: number;
}

async function* chunked(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  // One buffer that is used again for each chunk, as a reader of files does.
  const shared = Buffer.alloc(Math.max(1, bytes.length));
  let from = 0;
  for (const cut of [...cuts.map((one) => one % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    if (cut <= from) continue;
    bytes.copy(shared, 0, from, cut);
    yield shared.subarray(0, cut - from);
    from = cut;
  }
}

async function rangesOf(bytes: Buffer, cuts: readonly number[], maxLineBytes: number): Promise<{ lines: Seen[]; clean: boolean[] }> {
  const lines: Seen[] = [];
  const clean: boolean[] = [];
  await readRanges(
    chunked(bytes, cuts),
    {
      line: (block, start, end, place) => {
        const { number, offset, terminated } = place;
        lines.push({ number, offset, raw: block.toString('latin1', start, end), terminated, oversize: 0 });
        clean.push(place.clean);
      },
      oversize: (length, { number, offset, terminated }) => {
        lines.push({ number, offset, raw: '', terminated, oversize: length });
        clean.push(true);
      },
    },
    { maxLineBytes },
  );
  return { lines, clean };
}

describe('readRanges', () => {
  it('gives the lines that the line reader gives, however the bytes are cut', async () => {
    const pieces = fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n', '{"x":1}', '\u00e9', '\u00ff', '\0', ' '.repeat(7)), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(pieces, fc.array(fc.nat(200), { maxLength: 6 }), fc.constantFrom(3, 9, 1000), async (parts, cuts, limit) => {
        const bytes = Buffer.from(parts.join(''), 'latin1');
        const expected: Seen[] = [];
        const damaged: boolean[] = [];
        for await (const line of readLines(chunked(bytes, []), { maxLineBytes: limit })) {
          const { number, offset, raw, terminated, oversize } = line;
          expected.push({ number, offset, raw, terminated, oversize });
          damaged.push(oversize === 0 && (line.encoding === 'invalid' || raw.includes('\0')));
        }
        const { lines, clean } = await rangesOf(bytes, cuts, limit);
        expect(lines).toEqual(expected);
        damaged.forEach((is, at) => {
          if (is) expect(clean[at]).toBe(false);
        });
      }),
      settings(400),
    );
  });
});
