import { randomFillSync } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { serveTasks } from '../files/worker-pool.ts';
import type { Finding } from '../rules/rule.ts';
import { type CheckResult, type CheckSettings, finish, LogChecker } from './log-checker.ts';

/** All that is to be said about one file. */
export interface FileCheck {
  readonly findings: readonly Finding[];
  readonly bytes: number;
  readonly result: CheckResult;
}

let checker: LogChecker | undefined;

serveTasks<string, FileCheck>(async (name) => {
  checker ??= new LogChecker(workerData as CheckSettings, (bytes) => randomFillSync(new Uint8Array(bytes)));
  const findings: Finding[] = [];
  let bytes = 0;
  const onBytes = (more: number): void => {
    bytes += more;
  };
  const onFinding = (finding: Finding): number => findings.push(finding);
  const result = await finish(checker.check(name, undefined, { onFinding, onBytes }));
  return { findings, bytes, result };
});
