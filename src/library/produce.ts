import type { Output } from '../util/io.ts';

/** What a piece of work writes, piece by piece; the generator returns what the work gives. */
export async function* produce<Result>(
  work: (write: (bytes: Uint8Array) => Promise<void>) => Promise<Result>,
): AsyncGenerator<Uint8Array, Result, void> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const working = work(async (bytes) => await writer.write(bytes));
  const closing = working.then(
    async () => await writer.close(),
    async (error: unknown) => await writer.abort(error),
  );
  // A consumer that stops early has closed the stream.
  closing.catch(() => {});
  for await (const bytes of readable) yield bytes;
  return await working;
}

/** A place for a writer of bytes that hands them on. */
export function outputTo(write: (bytes: Uint8Array) => Promise<void>): Output {
  return {
    write: (chunk, done) => {
      write(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk)).then(
        () => done?.(),
        (error: Error) => done?.(error),
      );
      return true;
    },
    on: () => {},
  };
}
