import { requireRunning } from '../files/temp.ts';
import type { Io } from './command.ts';

/** The same chunks, but a stop is heard while the next one is waited for. */
export async function* abortable(chunks: AsyncIterable<Buffer>, io: Io): AsyncGenerator<Buffer, void, void> {
  const { signal, progress } = io;
  const iterator = chunks[Symbol.asyncIterator]();
  let heard = (): void => {};
  const stopped = new Promise<'stopped'>((done) => {
    heard = () => done('stopped');
  });
  signal.addEventListener('abort', heard, { once: true });
  let waiting = false;
  try {
    for (;;) {
      requireRunning(signal);
      waiting = true;
      const next = await Promise.race([iterator.next(), stopped]);
      if (next === 'stopped') continue;
      waiting = false;
      if (next.done) return;
      progress.read(next.value.length);
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', heard);
    // What waits for its next chunk cannot be ended, and the program is about to end anyway.
    if (!waiting) await iterator.return?.();
  }
}
