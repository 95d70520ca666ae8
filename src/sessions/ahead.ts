import { randomFillSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { sizeOf } from '../files/input.ts';
import { randomSource } from '../files/system.ts';
import { isDatabaseFile } from '../files/unpack.ts';
import type { Io } from '../util/io.ts';

/**
 * Works on files ahead of their turn, in several threads, and gives the results in the order of the files; undefined
 * where one thread is enough. The result is undefined for a file that has to wait for its turn.
 */
export async function aheadInThreads<Result>(
  paths: readonly string[],
  sizes: readonly number[],
  script: string,
  settings: unknown,
  work: (path: string) => Promise<Result>,
): Promise<AsyncGenerator<Result> | undefined> {
  if (paths.length < 2) return undefined;
  const { mapInThreads, threadsFor } = await import('../files/worker-pool.ts');
  const threads = await threadsFor(sizes, script);
  return threads > 1 ? mapInThreads(paths, work, { script, settings, threads }) : undefined;
}

/** A pipe can be read once; the copy of a database is removed by the main thread, which alone handles signals. */
export async function hasToWait(path: string): Promise<boolean> {
  return (await sizeOf(path)) === 0 || (!path.endsWith('.jsonl') && isDatabaseFile(path));
}

/** The streams and the randomness of a worker. */
export function workerIo(): Pick<Io, 'stdin' | 'random' | 'signal'> {
  return {
    stdin: Readable.from([]),
    random: randomSource(randomFillSync),
    signal: new AbortController().signal,
  };
}
