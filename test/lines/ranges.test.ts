import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ByteSequence, type RangeReader, readRanges } from '../../src/lines/ranges.ts';
import { readLines } from '../../src/lines/reader.ts';
import { settings } from '../support/properties.ts';

interface Seen {
  number: number;
  offset: number;
  raw: string;
  terminated: boolean;
  oversize: number;
}

/** Hands out the bytes in pieces that end at the cuts. */
function sequence(bytes: Buffer, cuts: readonly number[]): ByteSequence {
  let from = 0;
  return {
    read: async (buffer) => {
      const next = cuts
        .map((cut) => cut % (bytes.length + 1))
        .sort((a, b) => a - b)
        .find((cut) => cut > from);
      const copied = bytes.copy(buffer, 0, from, next ?? bytes.length);
      from += copied;
      return copied;
    },
  };
}

async function rangesOf(bytes: Buffer, cuts: readonly number[], maxLineBytes: number, bufferBytes: number): Promise<Seen[]> {
  const lines: Seen[] = [];
  await readRanges(
    sequence(bytes, cuts),
    {
      line: (block, start, end, { number, offset, terminated }) => {
        lines.push({ number, offset, raw: block.toString('latin1', start, end), terminated, oversize: 0 });
      },
      oversize: (length, { number, offset, terminated }) => {
        lines.push({ number, offset, raw: '', terminated, oversize: length });
      },
    },
    { maxLineBytes, buffers: [Buffer.alloc(bufferBytes), Buffer.alloc(bufferBytes)] },
  );
  return lines;
}

describe('readRanges', () => {
  it('hands lines out together only where none of them can be too long', async () => {
    const bytes = Buffer.from('short\na line that is too long\nshort\n');
    const told = async (maxLineBytes: number): Promise<string[]> => {
      const seen: string[] = [];
      const reader: RangeReader = {
        line: (_bytes, start, end) => seen.push(`line of ${end - start}`),
        oversize: (length) => seen.push(`oversize ${length}`),
        lines: (_bytes, end, place) => {
          seen.push(`together ${end}`);
          place.number += 3;
          place.offset += end;
          return true;
        },
      };
      await readRanges(sequence(bytes, []), reader, { maxLineBytes });
      return seen;
    };
    expect(await told(bytes.length)).toEqual([`together ${bytes.length}`]);
    expect(await told(10)).toEqual(['line of 5', 'oversize 23', 'line of 5']);
  });

  it('gives the lines that the line reader gives, however the bytes are cut', async () => {
    const pieces = fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n', '{"x":1}', '\u00e9', '\u00ff', '\0', ' '.repeat(7)), {
      maxLength: 30,
    });
    const limits = fc.constantFrom(3, 9, 1000);
    await fc.assert(
      fc.asyncProperty(
        pieces,
        fc.array(fc.nat(200), { maxLength: 6 }),
        limits,
        fc.integer({ min: 1, max: 40 }),
        async (parts, cuts, limit, buffer) => {
          const bytes = Buffer.from(parts.join(''), 'latin1');
          const expected: Seen[] = [];
          for await (const { number, offset, raw, terminated, oversize } of readLines(Readable.from([bytes]), { maxLineBytes: limit })) {
            expected.push({ number, offset, raw, terminated, oversize });
          }
          expect(await rangesOf(bytes, cuts, limit, buffer)).toEqual(expected);
        },
      ),
      settings(1000),
    );
  });

  it('lets what is being read come in before it hands on an error of the reader', async () => {
    let reading = 0;
    const source: ByteSequence = {
      read: async (buffer) => {
        reading++;
        await new Promise((done) => setTimeout(done, 5));
        reading--;
        return buffer.write('line\nrest', 'latin1');
      },
    };
    const reader = {
      line: () => {
        throw new Error('enough');
      },
      oversize: () => {},
    };
    await expect(readRanges(source, reader)).rejects.toThrow('enough');
    expect(reading).toBe(0);
  });
});
