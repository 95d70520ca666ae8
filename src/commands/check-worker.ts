import { randomFillSync } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { fileChunks } from '../files/input.ts';
import { makeMemory } from '../rules/check-log.ts';
import { blobLookup } from './blob-lookup.ts';
import { collect, type WorkerAnswer, type WorkerSettings, type WorkerTask } from './check-pool.ts';
import { checkSession } from './check-session.ts';
import { counting } from './reading.ts';

const settings = workerData as WorkerSettings;
const levels = new Map(settings.levels);
const blobs = settings.blobs === undefined ? undefined : blobLookup(settings.blobs);
const random = (bytes: number): Uint8Array => randomFillSync(new Uint8Array(bytes));
const memory = makeMemory(settings.scanner, random(8), levels, blobs !== undefined);

parentPort?.on('message', async ({ task, name }: WorkerTask) => {
  const check = await collect((onFinding, onBytes) =>
    checkSession(
      { name, path: name, chunks: counting(fileChunks(name), { wanted: true, read: onBytes }) },
      {
        maxLineBytes: settings.maxLineBytes,
        levels,
        blobs,
        memory,
        random,
        onFinding,
        pause: async () => {},
      },
    ),
  );
  parentPort?.postMessage({ task, ...check } satisfies WorkerAnswer);
});
