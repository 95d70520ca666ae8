import { randomFillSync } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { serveTasks } from '../files/worker-pool.ts';
import { type CheckSettings, type FileCheck, LogChecker } from './log-checker.ts';

let checker: LogChecker | undefined;

serveTasks<string, FileCheck>(async (name) => {
  checker ??= new LogChecker(workerData as CheckSettings, (bytes) => randomFillSync(new Uint8Array(bytes)));
  return await checker.collect(name);
});
