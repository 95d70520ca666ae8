import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';

/** A message costs as much as a small task, so some tasks go together. */
const BATCH = 8;
/** What is done early is held, so no worker runs further ahead than so many batches. */
const AHEAD = 4;

/** How many threads may run at once. */
export { availableParallelism as cores } from 'node:os';

/** What a script does with each task, in a worker that `mapInWorkers` started; elsewhere nothing. */
export function serveTasks<Task, Result>(work: (task: Task) => Promise<Result>): void {
  parentPort?.on('message', async (tasks: readonly Task[]) => {
    const results: Result[] = [];
    for (const task of tasks) results.push(await work(task));
    parentPort?.postMessage(results);
  });
}

/** Has a script work on the tasks in so many threads, and gives the results in the order of the tasks. */
export async function* mapInWorkers<Task, Result>(
  script: string,
  workerData: unknown,
  tasks: readonly Task[],
  jobs: number,
): AsyncGenerator<Result, void, void> {
  const batches = Math.ceil(tasks.length / BATCH);
  const workers = Array.from({ length: Math.min(jobs, batches) }, () => new Worker(script, { workerData }));
  const answers: Promise<readonly Result[]>[] = [];
  const ask = async (batch: number): Promise<readonly Result[]> => {
    await answers[batch - workers.length];
    const worker = workers[batch % workers.length] as Worker;
    worker.postMessage(tasks.slice(batch * BATCH, (batch + 1) * BATCH));
    return (await once(worker, 'message'))[0];
  };
  try {
    for (let given = 0; given < batches; given++) {
      while (answers.length < Math.min(batches, given + workers.length * AHEAD)) {
        const answer = ask(answers.length);
        // Thrown when its turn comes.
        answer.catch(() => {});
        answers.push(answer);
      }
      yield* await (answers[given] as Promise<readonly Result[]>);
      answers[given] = Promise.resolve([]);
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
