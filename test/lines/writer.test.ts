import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { linesIn } from '../../src/lines/reader.ts';
import { ByteWriter } from '../../src/lines/writer.ts';
import { ClosedPipe } from '../../src/util/errors.ts';

/** A stream that keeps what it gets, until it fails. */
function sink(fails?: Error): { stream: Writable; bytes: () => string; writes: () => number } {
  const parts: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (fails) return done(fails);
      parts.push(chunk);
      done();
    },
  });
  return { stream, bytes: () => Buffer.concat(parts).toString('latin1'), writes: () => parts.length };
}

const failure = (code: string): Error => Object.assign(new Error(`write ${code}`), { code });

describe('writing bytes', () => {
  it('keeps the order of raw bytes, text and buffers, however they alternate', async () => {
    const { stream, bytes } = sink();
    const out = new ByteWriter(stream);
    out.text('\u00e9');
    out.raw('\u00e9');
    out.raw('a');
    out.text('b');
    out.bytes(Buffer.from('c'));
    out.text('d'.repeat(200_000));
    out.raw('e');
    await out.flush();
    expect(bytes()).toBe(`\u00c3\u00a9\u00e9abc${'d'.repeat(200_000)}e`);
  });

  it('puts what is short together into one write', async () => {
    const { stream, writes } = sink();
    const out = new ByteWriter(stream);
    for (let at = 0; at < 1000; at++) out.raw('x');
    for (let at = 0; at < 1000; at++) out.text('x');
    await out.flush();
    await out.flush();
    expect(writes()).toBe(1);
  });

  it('is full when a quarter of a megabyte waits, and not after it left', async () => {
    const out = new ByteWriter(sink().stream);
    out.raw('x'.repeat(256 * 1024 - 1));
    expect(out.full).toBe(false);
    out.raw('x');
    expect(out.full).toBe(true);
    await out.flush();
    expect(out.full).toBe(false);
  });

  it('tells a reader that went away from a disk that is full, at once and ever after', async () => {
    for (const [code, kind] of [
      ['EPIPE', ClosedPipe],
      ['ENOSPC', Error],
    ] as const) {
      const out = new ByteWriter(sink(failure(code)).stream);
      out.raw('x');
      await expect(out.flush()).rejects.toBeInstanceOf(kind);
      out.raw('y');
      await expect(out.flush()).rejects.toThrow(code === 'EPIPE' ? 'write EPIPE' : 'standard output: ');
    }
  });

  it('notices that the stream failed although the write itself was taken', async () => {
    const stream = new Writable({
      write: (_chunk, _encoding, done) => {
        stream.emit('error', failure('EIO'));
        done();
      },
    });
    const out = new ByteWriter(stream);
    out.raw('x');
    await expect(out.flush()).rejects.toThrow('standard output: ');
  });
});

describe('splitting bytes that are in memory', () => {
  it('numbers and places the lines, and knows that the last one is open', () => {
    const lines = linesIn(Buffer.from('a\n\nb\u00e9\r\nc'), 5, 100);
    expect(lines.map(({ number, offset, text, terminated }) => [number, offset, text, terminated])).toEqual([
      [5, 100, 'a', true],
      [6, 102, '', true],
      [7, 103, 'b\u00e9\r', true],
      [8, 108, 'c', false],
    ]);
    expect(linesIn(Buffer.alloc(0))).toEqual([]);
  });
});
