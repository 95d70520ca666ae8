import { ByteWriter } from './writer.ts';

/** What a piece of work writes, piece by piece; the generator returns what the work gives. */
export async function* produce<Result>(
  work: (out: ByteWriter) => Promise<Result>,
): AsyncGenerator<Uint8Array, Result, void> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const out = new ByteWriter({
    write: (chunk, done) => {
      writer.write(chunk as Buffer).then(() => done?.(), done);
      return true;
    },
    on: () => {},
  });
  const working = work(out).then(async (result) => {
    await out.flush();
    return result;
  });
  const closing = working.then(
    async () => await writer.close(),
    async (error: unknown) => await writer.abort(error),
  );
  // A consumer that stops early has closed the stream.
  closing.catch(() => {});
  for await (const bytes of readable) yield bytes;
  return await working;
}
