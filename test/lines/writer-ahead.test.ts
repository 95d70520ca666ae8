import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../src/lines/writer.ts';

/** A stream that takes each write only when told to, with or without a way to take several at once. */
function slowStream(several: boolean): { stream: Writable; taken: string[]; release: (error?: Error) => void } {
  const taken: string[] = [];
  let release = (_error?: Error): void => {};
  const take = (chunks: readonly Buffer[], done: (error?: Error) => void): void => {
    release = (error) => {
      // The bytes are read as late as a slow disk would read them.
      taken.push(Buffer.concat(chunks).toString('latin1'));
      done(error);
    };
  };
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => take([chunk], done),
    ...(several
      ? {
          writev: (chunks, done) =>
            take(
              chunks.map(({ chunk }) => chunk as Buffer),
              done,
            ),
        }
      : {}),
  });
  return { stream, taken, release: (error) => release(error) };
}

const soon = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('a byte writer that does not wait', () => {
  it('sends on without waiting, and tells when the bytes are taken', async () => {
    const { stream, taken, release } = slowStream(true);
    const out = new ByteWriter(stream);
    const memory = Buffer.from('first');
    let free = false;
    out.raw('<');
    out.bytes(memory);
    out.raw('>');
    out.start().then(() => {
      free = true;
    });
    out.raw('second');
    await soon();
    expect([taken, free]).toEqual([[], false]);
    release();
    await soon();
    expect([taken, free]).toEqual([['<first>'], true]);
    const flushed = out.flush();
    await soon();
    release();
    await flushed;
    expect(taken).toEqual(['<first>', 'second']);
  });

  it('waits in a flush for what was sent before, though nothing is left', async () => {
    const { stream, release } = slowStream(true);
    const out = new ByteWriter(stream);
    out.raw('x');
    out.start();
    let flushed = false;
    const flush = out.flush().then(() => {
      flushed = true;
    });
    await soon();
    expect(flushed).toBe(false);
    release();
    await flush;
  });

  it('throws at the next call what went wrong meanwhile, and names the cause', async () => {
    for (const several of [true, false]) {
      const { stream, release } = slowStream(several);
      const out = new ByteWriter(stream);
      out.bytes(Buffer.from('a'));
      out.bytes(Buffer.from('b'));
      const sent = out.start();
      await soon();
      release(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
      await sent;
      expect(() => out.start()).toThrow(/standard output: .*space/);
      await expect(out.flush()).rejects.toThrow(/standard output: .*space/);
    }
  });
});
