import { randomFillSync } from 'node:crypto';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { blobLookup } from './blob-lookup.ts';
import { checkFile, Turns, type WorkerAnswer, type WorkerData } from './check-pool.ts';
import { SessionChecker } from './check-session.ts';

/** So much is checked before the answers are sent: a message costs as much as a small file. */
const BYTES_A_MESSAGE = 1024 * 1024;
const FILES_A_MESSAGE = 16;

async function work({ settings, names, counters }: WorkerData): Promise<void> {
  const turns = new Turns(counters, names.length);
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

// Loaded outside of a worker there is nothing to do.
if (!isMainThread) await work(workerData as WorkerData);
