import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapInWorkers } from '../../src/files/worker-pool.ts';
import { projectRoot } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'sessionctl-pool-'));
const script = join(folder, 'worker.mjs');

beforeAll(async () => {
  const source = join(folder, 'worker.ts');
  writeFileSync(
    source,
    `import { workerData } from 'node:worker_threads';
    import { serveTasks } from '${join(projectRoot, 'src/files/worker-pool.ts')}';
    serveTasks(async (task) => {
      await new Promise((done) => setTimeout(done, task % 7));
      if (task === workerData.fails) throw new Error('task ' + task + ' failed');
      return task * workerData.factor;
    });`,
  );
  await build({
    entryPoints: [source],
    outfile: join(folder, 'worker.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function all(tasks: readonly number[], jobs: number, fails = -1): Promise<number[]> {
  const results: number[] = [];
  for await (const result of mapInWorkers<number, number>(script, { factor: 3, fails }, tasks, jobs))
    results.push(result);
  return results;
}

describe('tasks in several threads', () => {
  it('give their results in the order of the tasks, whichever is done first', async () => {
    const tasks = Array.from({ length: 200 }, (_, at) => at);
    for (const jobs of [1, 2, 3]) expect(await all(tasks, jobs)).toEqual(tasks.map((task) => task * 3));
    expect(await all([], 2)).toEqual([]);
    expect(await all([5], 8)).toEqual([15]);
  });

  it('fail where one of them fails', async () => {
    await expect(all([1, 2, 3, 4], 2, 3)).rejects.toThrow('task 3 failed');
  });

  it('end early where nobody wants more', async () => {
    const results = mapInWorkers<number, number>(
      script,
      { factor: 1, fails: -1 },
      Array.from({ length: 500 }, (_, at) => at),
      2,
    );
    expect((await results.next()).value).toBe(0);
    await results.return();
    expect((await results.next()).done).toBe(true);
  });
});
