import type { Worker } from 'node:worker_threads';
import { Trouble } from '../base/trouble.ts';
import { isThere } from '../files/input.ts';
import type { Finding } from '../rules/finding.ts';
import type { Level } from '../rules/rule.ts';
import type { ScannerKind } from '../scanner/scanner.ts';
import type { CheckHooks, SessionChecker, SessionResult } from './check-session.ts';

/** What a worker needs to know to check files as its parent would. */
export interface WorkerSettings {
  readonly maxLineBytes: number;
  readonly levels: readonly (readonly [string, Level])[];
  readonly blobs: string | undefined;
  readonly scanner: ScannerKind;
}

export interface WorkerData {
  readonly settings: WorkerSettings;
  readonly names: readonly string[];
  readonly counters: SharedArrayBuffer;
}

/** All that is to be said about one file. */
export interface FileCheck {
  readonly findings: readonly Finding[];
  readonly bytes: number;
  readonly result: SessionResult | { readonly trouble: string };
}

export interface WorkerAnswer {
  /** The place of the file among the names. */
  readonly at: number;
  readonly check: FileCheck;
}

/** Files that may be done before the one that is told next. */
const MOST_AHEAD = 64;
const NEXT = 0;
const TOLD = 1;

/** Which file is next, and how many were told: counted by all threads together, so that nobody has to be asked. */
export class Turns {
  readonly #counters: Int32Array;
  readonly #files: number;

  static readonly BYTES: number = 2 * Int32Array.BYTES_PER_ELEMENT;

  constructor(counters: SharedArrayBuffer, files: number) {
    this.#counters = new Int32Array(counters);
    this.#files = files;
  }

  /** The next file, which is the caller's from now on; undefined at the end. */
  take(): number | undefined {
    const at = Atomics.add(this.#counters, NEXT, 1);
    return at < this.#files ? at : undefined;
  }

  /** The same, but none that has to wait. */
  takeNow(): number | undefined {
    return this.isTooEarly(Atomics.load(this.#counters, NEXT)) ? undefined : this.take();
  }

  /** So far ahead that what is found might fill the memory. */
  isTooEarly(at: number): boolean {
    return at >= Atomics.load(this.#counters, TOLD) + MOST_AHEAD;
  }

  /** Stops the thread until it is no longer too early. Never in the main thread, which is the one that tells. */
  wait(at: number): void {
    for (let told = Atomics.load(this.#counters, TOLD); at >= told + MOST_AHEAD; told = Atomics.load(this.#counters, TOLD)) {
      Atomics.wait(this.#counters, TOLD, told);
    }
  }

  told(files: number): void {
    Atomics.store(this.#counters, TOLD, files);
    Atomics.notify(this.#counters, TOLD);
  }
}

/** Files are checked by several threads at once, this one among them. */
export class CheckPool {
  readonly #workers: readonly Worker[];
  readonly #turns: Turns;
  readonly #here: (at: number) => Promise<FileCheck>;
  readonly #done = new Map<number, FileCheck>();
  #told = 0;
  #failed: Error | undefined;
  #hear: () => void = () => {};

  /** Undefined where there are no workers to be had: outside of the built program. */
  static async start(
    jobs: number,
    names: readonly string[],
    settings: WorkerSettings,
    here: (name: string) => Promise<FileCheck>,
  ): Promise<CheckPool | undefined> {
    // Seen from where a bundle is; beside the sources there is none.
    const script = new URL('../commands/check-worker.js', import.meta.url);
    if (jobs < 2 || !(await isThere(script))) return undefined;
    const { Worker } = await import('node:worker_threads');
    const counters = new SharedArrayBuffer(Turns.BYTES);
    const workerData: WorkerData = { settings, names, counters };
    const workers = Array.from({ length: jobs - 1 }, () => new Worker(script, { workerData }));
    return new CheckPool(workers, new Turns(counters, names.length), (at) => here(names[at] as string));
  }

  private constructor(workers: readonly Worker[], turns: Turns, here: (at: number) => Promise<FileCheck>) {
    this.#workers = workers;
    this.#turns = turns;
    this.#here = here;
    for (const worker of workers) {
      worker.on('message', (answers: readonly WorkerAnswer[]) => {
        for (const { at, check } of answers) this.#done.set(at, check);
        this.#hear();
      });
      worker.on('error', (error: unknown) => {
        this.#failed ??= error instanceof Error ? error : new Error(String(error));
        this.#hear();
      });
    }
  }

  /** The check of the next file, in the order of the names, whichever is done first. */
  async next(): Promise<FileCheck> {
    for (;;) {
      if (this.#failed) throw this.#failed;
      const check = this.#done.get(this.#told);
      if (check) {
        this.#done.delete(this.#told);
        this.#told++;
        this.#turns.told(this.#told);
        return check;
      }
      const mine = this.#turns.takeNow();
      if (mine === undefined) await this.#answer();
      else {
        this.#done.set(mine, await this.#here(mine));
        // A file that is read at once would leave the answers of the others lying, one file after the other.
        await new Promise((done) => setImmediate(done));
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #answer(): Promise<void> {
    return new Promise((done) => {
      this.#hear = done;
    });
  }
}

/** Checks a file and keeps all that is found. */
export async function checkFile(checker: SessionChecker, name: string, pause?: CheckHooks['pause']): Promise<FileCheck> {
  const findings: Finding[] = [];
  let bytes = 0;
  const hooks: CheckHooks = {
    onFinding: (finding) => findings.push(finding),
    onBytes: (more) => {
      bytes += more;
    },
    ...(pause ? { pause } : {}),
  };
  try {
    return { findings, result: await checker.checkFile(name, hooks), bytes };
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    return { findings, bytes, result: { trouble: error.message } };
  }
}
