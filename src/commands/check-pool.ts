import type { Worker } from 'node:worker_threads';
import { Trouble } from '../base/trouble.ts';
import { isThere } from '../files/input.ts';
import type { Finding } from '../rules/finding.ts';
import type { Level } from '../rules/rule.ts';
import type { ScannerKind } from '../scanner/scanner.ts';
import type { SessionResult } from './check-session.ts';

/** What a worker needs to know to check files as its parent would. */
export interface WorkerSettings {
  readonly maxLineBytes: number;
  readonly levels: readonly (readonly [string, Level])[];
  readonly blobs: string | undefined;
  readonly scanner: ScannerKind;
}

/** All that is to be said about one file. */
export interface FileCheck {
  readonly findings: readonly Finding[];
  readonly bytes: number;
  readonly result: SessionResult | { readonly trouble: string };
}

export interface WorkerTask {
  readonly task: number;
  readonly name: string;
}

export interface WorkerAnswer extends FileCheck {
  readonly task: number;
}

interface Waiting {
  readonly name: string;
  readonly done: (check: FileCheck) => void;
  readonly fail: (error: Error) => void;
}

/** Files are checked by several threads at once, this one among them. */
export class CheckPool {
  readonly #workers: readonly Worker[];
  readonly #idle: Worker[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #running = new Map<number, { done: (check: FileCheck) => void; fail: (error: Error) => void }>();
  readonly #here: (name: string) => Promise<FileCheck>;
  #busyHere = false;
  #tasks = 0;
  #failed: Error | undefined;

  /** Undefined where there are no workers to be had: outside of the built program. */
  static async start(jobs: number, settings: WorkerSettings, here: (name: string) => Promise<FileCheck>): Promise<CheckPool | undefined> {
    // Where the bundle puts it, seen from a chunk.
    const program = new URL('../check-worker.js', import.meta.url);
    if (jobs < 2 || !(await isThere(program))) return undefined;
    const { Worker } = await import('node:worker_threads');
    const workers = Array.from({ length: jobs - 1 }, () => new Worker(program, { workerData: settings }));
    return new CheckPool(workers, here);
  }

  private constructor(workers: readonly Worker[], here: (name: string) => Promise<FileCheck>) {
    this.#workers = workers;
    this.#here = here;
    for (const worker of workers) {
      worker.on('message', (answer: WorkerAnswer) => {
        this.#running.get(answer.task)?.done(answer);
        this.#running.delete(answer.task);
        this.#idle.push(worker);
        this.#next();
      });
      worker.on('error', (error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))));
      // Twice, so that the next file is there before the answer to the last one has been read.
      this.#idle.push(worker, worker);
    }
  }

  check(name: string): Promise<FileCheck> {
    return new Promise((done, fail) => {
      this.#waiting.push({ name, done, fail });
      this.#next();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #next(): void {
    if (this.#failed) {
      for (const { fail } of this.#waiting.splice(0)) fail(this.#failed);
      return;
    }
    while (this.#waiting.length > 0) {
      const worker = this.#idle.pop();
      if (!worker) break;
      const { name, done, fail } = this.#waiting.shift() as Waiting;
      const task = ++this.#tasks;
      this.#running.set(task, { done, fail });
      worker.postMessage({ task, name } satisfies WorkerTask);
    }
    if (this.#busyHere || this.#waiting.length === 0) return;
    this.#busyHere = true;
    // Answers of the workers come first: a file that is read at once would leave them waiting, one after the other.
    setImmediate(() => this.#checkHere());
  }

  #checkHere(): void {
    const mine = this.#waiting.shift();
    if (!mine) {
      this.#busyHere = false;
      return;
    }
    this.#here(mine.name)
      .then(mine.done, mine.fail)
      .finally(() => {
        this.#busyHere = false;
        this.#next();
      });
  }

  #fail(error: Error): void {
    this.#failed ??= error;
    for (const { fail } of this.#running.values()) fail(error);
    this.#running.clear();
    this.#next();
  }
}

/** Runs a check and keeps all that it says. */
export async function collect(
  check: (onFinding: (finding: Finding) => void, onBytes: (bytes: number) => void) => Promise<SessionResult>,
): Promise<FileCheck> {
  const findings: Finding[] = [];
  let bytes = 0;
  try {
    const result = await check(
      (finding) => findings.push(finding),
      (more) => {
        bytes += more;
      },
    );
    return { findings, bytes, result };
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    return { findings, bytes, result: { trouble: error.message } };
  }
}
