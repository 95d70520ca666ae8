import { randomFillSync } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { blobLookup } from './blob-lookup.ts';
import { checkFile, Turns, type WorkerAnswer, type WorkerData } from './check-pool.ts';
import { SessionChecker } from './check-session.ts';

/** So much is checked before the answers are sent: a message costs as much as a small file. */
const BYTES_A_MESSAGE = 1024 * 1024;
const FILES_A_MESSAGE = 16;
/** Three times what V8 waits for before it optimizes a function. */
const OPTIMIZE_LATER = '--interrupt-budget=400000';

async function work({ settings, names, counters, workers }: WorkerData): Promise<void> {
  const turns = new Turns(counters, names.length);
  // Every thread compiles the same code by itself, and the compilers take turns with the checks on the same cores: only
  // what is really hot is worth it. This is a setting of the whole process, and V8 takes the code that was kept from the
  // build, Node's own too, only as long as it is as it was then; so it has to wait for the last thread.
  if (turns.ready() === workers) setFlagsFromString(OPTIMIZE_LATER);
  const checker = new SessionChecker(
    {
      ...settings,
      levels: new Map(settings.levels),
      blobs: settings.blobs === undefined ? undefined : blobLookup(settings.blobs),
    },
    (bytes) => randomFillSync(new Uint8Array(bytes)),
  );
  let answers: WorkerAnswer[] = [];
  let bytes = 0;
  const send = (): void => {
    if (answers.length > 0) parentPort?.postMessage(answers);
    answers = [];
    bytes = 0;
  };
  for (let at = turns.take(); at !== undefined; at = turns.take()) {
    if (turns.isTooEarly(at)) {
      // The others may wait for what is kept here.
      send();
      turns.wait(at);
    }
    const check = await checkFile(checker, names[at] as string);
    answers.push({ at, check });
    bytes += check.bytes;
    if (bytes >= BYTES_A_MESSAGE || answers.length >= FILES_A_MESSAGE) send();
  }
  send();
}

/** Called by the launcher in a worker. It is no command: typed as one, there is nothing to start. */
export const start: (() => Promise<void>) | undefined = isMainThread ? undefined : () => work(workerData as WorkerData);
