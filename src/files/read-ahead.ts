import { on } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SourceFacts } from '../formats/counting-source.ts';
import type { CutLines, Cutting, OddLine } from '../formats/cut-lines.ts';
import type { CountedLines } from '../formats/format.ts';
import { fileError } from '../util/errors.ts';
import { requireRunning } from './disk.ts';

/** Only the built program has it. */
const SCRIPT = `${import.meta.dirname}/read-ahead-worker.cjs`;

/** What the thread makes is soon gone. */
const YOUNG_MB = 4;

/** The thread is woken after so many messages, fewer than it may be ahead: to be woken for each slows down both. */
const WAKE_EVERY = 16;

export interface AheadTask {
  readonly fd: number;
  readonly name: string;
  readonly cutting: Cutting;
  /** In memory that both threads see: how many messages were taken. */
  readonly taken: Int32Array;
}

/** A message of the thread: some lines and the bytes that were read for them; at the end the counts. */
export type AheadMessage =
  | { readonly lines: CutLines | OddLine; readonly bytes: number }
  | { readonly facts: SourceFacts };

/** Reads and cuts the lines of a regular file in another thread; undefined where there is none to spare. */
export async function readAhead(
  task: Omit<AheadTask, 'taken'>,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<CountedLines | undefined> {
  if (availableParallelism() < 2 || !existsSync(SCRIPT)) return undefined;
  let facts: SourceFacts | undefined;
  async function* lines(): AsyncGenerator<CutLines | OddLine> {
    const taken = new Int32Array(new SharedArrayBuffer(4));
    const workerData: AheadTask = { ...task, taken };
    const worker = new Worker(SCRIPT, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    try {
      for await (const [message] of on(worker, 'message', { signal }) as AsyncIterable<[AheadMessage]>) {
        if ('facts' in message) {
          facts = message.facts;
          return;
        }
        if (Atomics.add(taken, 0, 1) % WAKE_EVERY === 0) Atomics.notify(taken, 0);
        onBytes(message.bytes);
        // Messages that keep coming would let nothing else have its turn, such as a signal.
        await new Promise((done) => setImmediate(done));
        yield message.lines;
      }
    } catch (error) {
      requireRunning(signal);
      throw fileError(task.name, error);
    } finally {
      // The file must not be closed while it is read.
      await worker.terminate();
    }
  }
  return { lines: lines(), facts: () => facts as SourceFacts };
}
