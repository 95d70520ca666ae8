import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Line } from '../../src/lines/line.ts';
import { LineBlock, linesIn, readLines } from '../../src/lines/reader.ts';
import { settings } from '../support/properties.ts';

interface Seen {
  number: number;
  offset: number;
  length: number;
  terminated: boolean;
  encoding: string;
  raw: string;
  oversize: number;
}

async function* inChunks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  // One piece of memory for all chunks, as a file reader has it.
  const memory = Buffer.alloc(bytes.length + 1);
  let at = 0;
  let turn = 0;
  while (at < bytes.length) {
    const size = Math.max(1, sizes[turn++ % sizes.length] ?? 1);
    const length = bytes.copy(memory, 0, at, at + size);
    yield memory.subarray(0, length);
    at += length;
  }
}

async function seen(bytes: Buffer, sizes: readonly number[], maxLineBytes = 1 << 20): Promise<Seen[]> {
  const all: Seen[] = [];
  for await (const line of readLines(inChunks(bytes, sizes), { maxLineBytes })) all.push(factsOf(line));
  return all;
}

function factsOf({ number, offset, length, terminated, encoding, raw, oversize }: Line): Seen {
  return { number, offset, length, terminated, encoding, raw, oversize };
}

const piece = fc
  .oneof(
    fc.constantFrom('\n', '\r\n', '', ' ', '{"a":1}', 'é', '漢字', '😀', '\u0000', '\ufeff'),
    fc.string({ maxLength: 20 }),
  )
  .map((text) => Buffer.from(text, 'utf8'));
const broken = fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes));
const input = fc
  .array(fc.oneof({ weight: 5, arbitrary: piece }, { weight: 1, arbitrary: broken }), { maxLength: 40 })
  .map((parts) => Buffer.concat(parts));

describe('reading lines', () => {
  it('gives the same lines for any chunking, down to one byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        input,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        async (bytes, sizes) => {
          const whole = await seen(bytes, [bytes.length + 1]);
          expect(await seen(bytes, sizes)).toEqual(whole);
          expect(await seen(bytes, [1])).toEqual(whole);
        },
      ),
      settings(300),
    );
  });

  it('gives the same lines of bytes that are all there', async () => {
    await fc.assert(
      fc.asyncProperty(input, async (bytes) => {
        const all: Seen[] = [];
        for (const line of linesIn(bytes)) all.push(factsOf(line));
        expect(all).toEqual(await seen(bytes, [bytes.length + 1]));
      }),
      settings(300),
    );
  });

  it('gives the same lines for any chunking when some are over the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        input,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 30 }),
        async (bytes, size, limit) => {
          const whole = await seen(bytes, [bytes.length + 1], limit);
          expect(await seen(bytes, [size], limit)).toEqual(whole);
          expect(whole.every((line) => line.oversize > 0 === line.length > limit)).toBe(true);
        },
      ),
      settings(300),
    );
  });

  it('gives the same lines of a block whose first ones are taken one by one', async () => {
    await fc.assert(
      fc.asyncProperty(input, fc.nat(9), async (bytes, most) => {
        const block = new LineBlock(bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1), 5, 7);
        const all = block.split();
        const peeled = new LineBlock(block.bytes, 5, 7);
        const taken: Line[] = [];
        const rest = peeled.peel((line) => taken.push(line) < most);
        expect(taken.length).toBe(Math.min(Math.max(most, 1), all.length));
        const place = ({ number, offset, raw }: Line): unknown => ({ number, offset, raw });
        expect([...taken, ...(rest?.split() ?? [])].map(place)).toEqual(all.map(place));
        expect(peeled.lines).toBe(all.length);
      }),
      settings(300),
    );
  });

  it('keeps every byte: the raw lines and their ends are the input again', async () => {
    await fc.assert(
      fc.asyncProperty(input, async (bytes) => {
        const lines = await seen(bytes, [7]);
        const joined = lines.map((line) => line.raw + (line.terminated ? '\n' : '')).join('');
        expect(Buffer.from(joined, 'latin1').equals(bytes)).toBe(true);
        for (const line of lines) expect(bytes.toString('latin1').startsWith(line.raw, line.offset)).toBe(true);
      }),
      settings(200),
    );
  });

  it('hands the bytes of a line that is too long on in pieces, in their place', async () => {
    const bytes = Buffer.from('short\nthis one is far too long\nafter\nand the last one too!');
    const reported: string[] = [];
    const pieces: string[] = [];
    const options = { maxLineBytes: 8, onOversizePiece: (part: Buffer) => void pieces.push(part.toString()) };
    for await (const line of readLines(inChunks(bytes, [5]), options)) {
      reported.push(
        line.oversize > 0
          ? `${line.number}:${line.oversize}:${pieces.splice(0).join('')}`
          : `${line.number}:${line.raw}`,
      );
    }
    expect(reported).toEqual(['1:short', '2:24:this one is far too long', '3:after', '4:21:and the last one too!']);
  });

  it('decodes text that is not ASCII, and knows bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('plain\ngrüße 漢\n'),
      Buffer.from([0x61, 0xff, 0x0a]),
      Buffer.from('ende'),
    ]);
    const lines = [];
    for await (const line of readLines(inChunks(bytes, [3]))) lines.push([line.encoding, line.text]);
    expect(lines).toEqual([
      ['ascii', 'plain'],
      ['utf8', 'grüße 漢'],
      ['invalid', 'a\u00ff'],
      ['ascii', 'ende'],
    ]);
  });

  it('knows the line end, and that the last line has none', async () => {
    const ends = [];
    for await (const line of readLines(inChunks(Buffer.from('a\r\nb\n\nc'), [2]))) ends.push(line.ending);
    expect(ends).toEqual(['\r\n', '\n', '\n', '']);
  });
});
