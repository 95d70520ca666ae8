import { randomFillSync } from 'node:crypto';
import { serveTasks } from '../files/worker-pool.ts';
import { type CheckSettings, checkFile, LogChecker } from './log-checker.ts';

serveTasks((settings: CheckSettings) => {
  const checker = new LogChecker(settings, (bytes) => randomFillSync(new Uint8Array(bytes)));
  return (name: string) => checkFile(checker, name);
});
