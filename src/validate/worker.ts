import { randomFillSync } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { serveTasks } from '../files/worker-pool.ts';
import { type CheckSettings, LogChecker } from './log-checker.ts';

let checker: LogChecker | undefined;

serveTasks((name: string) => {
  checker ??= new LogChecker(workerData as CheckSettings, (bytes) => randomFillSync(new Uint8Array(bytes)));
  return checker.checkFile(name);
});
