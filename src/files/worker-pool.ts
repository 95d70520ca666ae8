import { availableParallelism } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { isThere } from './input.ts';

/** A message costs as much as a small task, so some tasks go together, unless there are few. */
const LARGEST_BATCH = 8;
/** Results that are ready early are held, so there is a limit of batches ahead per thread. */
const AHEAD = 4;
/** A worker has the next batch at hand while this thread is busy. */
const QUEUED = 2;

/** A thread takes longer to start than less than this takes to be read. */
const WORTH_THREADS = 16 * 1024 * 1024;

/** How many threads files of these sizes are worth; one where the script of the workers is not there. */
export async function threadsFor(sizes: readonly number[], script: string): Promise<number> {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes < WORTH_THREADS || !(await isThere(script))) return 1;
  return Math.min(availableParallelism(), sizes.length);
}

type Work<Task, Result> = (task: Task) => Promise<Result>;

/**
 * What a script does with each task, given the settings, in a worker that `mapInThreads` started; elsewhere nothing.
 */
export function serveTasks<Settings, Task, Result>(start: (settings: Settings) => Work<Task, Result>): void {
  let work: Work<Task, Result> | undefined;
  let last = Promise.resolve();
  parentPort?.on('message', (tasks: readonly Task[]) => {
    work ??= start(workerData);
    const each = work;
    last = last.then(async () => parentPort?.postMessage(await inOrder(tasks, each)));
  });
}

/** Works on the tasks in this thread and in workers of a script, and gives the results in the order of the tasks. */
export async function* mapInThreads<Task, Result>(
  tasks: readonly Task[],
  work: Work<Task, Result>,
  { script, settings, threads }: { readonly script: string; readonly settings: unknown; readonly threads: number },
): AsyncGenerator<Result, void, void> {
  const together = Math.max(1, Math.min(LARGEST_BATCH, Math.floor(tasks.length / (threads * AHEAD))));
  const batches = Math.ceil(tasks.length / together);
  const done = new Map<number, readonly Result[]>();
  let taken = 0;
  let given = 0;
  let failure: Error | undefined;
  let wake = (): void => {};
  const hasNext = (): boolean => taken < Math.min(batches, given + threads * AHEAD);
  const next = (): readonly Task[] => tasks.slice(taken * together, ++taken * together);
  const workers = Array.from({ length: Math.min(threads, batches) - 1 }, () => {
    const worker = new Worker(script, { workerData: settings });
    const queue: number[] = [];
    const fill = (): void => {
      while (queue.length < QUEUED && hasNext()) {
        queue.push(taken);
        worker.postMessage(next());
      }
    };
    worker.on('message', (results) => {
      done.set(queue.shift() as number, results);
      fill();
      wake();
    });
    worker.on('error', (error) => {
      failure = error;
      wake();
    });
    return { worker, fill };
  });
  try {
    for (; given < batches; given++) {
      for (;;) {
        if (failure) throw failure;
        for (const { fill } of workers) fill();
        if (done.has(given)) break;
        if (hasNext()) {
          const own = taken;
          done.set(own, await inOrder(next(), work));
          // Messages of the workers come in.
          await new Promise<void>((resolve) => void setImmediate(resolve));
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
      yield* done.get(given) as readonly Result[];
      done.delete(given);
    }
  } finally {
    await Promise.all(workers.map(({ worker }) => worker.terminate()));
  }
}

async function inOrder<Task, Result>(tasks: readonly Task[], work: Work<Task, Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const task of tasks) results.push(await work(task));
  return results;
}
