import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

/** A message costs as much as a small task, so some tasks go together. */
const BATCH = 8;
/** Batches that a worker has at hand, so that it never waits for the next. */
const AHEAD = 2;

interface Answer<Result> {
  readonly batch: number;
  readonly results: readonly Result[];
}

/** How many threads may run at once. */
export function cores(): number {
  return availableParallelism();
}

/** What a script does with each task, in a worker that `mapInWorkers` started; elsewhere nothing. */
export function serveTasks<Task, Result>(work: (task: Task) => Promise<Result>): void {
  if (isMainThread) return;
  let turn = Promise.resolve();
  parentPort?.on('message', ({ batch, tasks }: { readonly batch: number; readonly tasks: readonly Task[] }) => {
    turn = turn.then(async () => {
      const results: Result[] = [];
      for (const task of tasks) results.push(await work(task));
      parentPort?.postMessage({ batch, results } satisfies Answer<Result>);
    });
  });
}

/** Has a script work on the tasks in so many threads, and gives the results in the order of the tasks. */
export async function* mapInWorkers<Task, Result>(
  script: URL,
  workerData: unknown,
  tasks: readonly Task[],
  jobs: number,
): AsyncGenerator<Result, void, void> {
  const batches = Math.ceil(tasks.length / BATCH);
  const workers = Array.from({ length: Math.min(jobs, batches) }, () => new Worker(script, { workerData }));
  const done = new Map<number, readonly Result[]>();
  let failure: unknown;
  let wake = (): void => {};
  let sent = 0;
  let given = 0;
  const waiting: Worker[] = [];
  const feed = (): void => {
    // What is done early is held, so nobody runs far ahead.
    while (waiting.length > 0 && sent < batches && sent < given + workers.length * (AHEAD + 2)) {
      const batch = sent++;
      waiting.shift()?.postMessage({ batch, tasks: tasks.slice(batch * BATCH, (batch + 1) * BATCH) });
    }
  };
  for (const worker of workers) {
    for (let slot = 0; slot < AHEAD; slot++) waiting.push(worker);
    worker.on('message', ({ batch, results }: Answer<Result>) => {
      done.set(batch, results);
      waiting.push(worker);
      feed();
      wake();
    });
    worker.on('error', (error) => {
      failure ??= error;
      wake();
    });
  }
  try {
    feed();
    while (given < batches) {
      if (failure !== undefined) throw failure;
      const results = done.get(given);
      if (results) {
        done.delete(given++);
        feed();
        yield* results;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
