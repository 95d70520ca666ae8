import { spawnSync } from 'node:child_process';

/** Whether a program is there; says so where tests are skipped for want of it. */
export function installed(program: string, ...probe: readonly string[]): boolean {
  const there = spawnSync(program, probe.length > 0 ? probe : ['--version'], { stdio: 'ignore' }).status === 0;
  if (!there) console.warn(`skipped what needs ${program}: it is not installed`);
  return there;
}
