import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapInThreads } from '../../src/files/worker-pool.ts';
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

const triple = async (task: number): Promise<number> => task * 3;

async function all(tasks: readonly number[], threads: number, fails = -1): Promise<number[]> {
  const results: number[] = [];
  const pool = { script, workerData: { factor: 3, fails }, threads };
  for await (const result of mapInThreads(tasks, triple, pool)) results.push(result);
  return results;
}

const tasks = Array.from({ length: 200 }, (_, at) => at);

describe('tasks in several threads', () => {
  it('give their results in the order of the tasks, whichever is done first', async () => {
    for (const threads of [1, 2, 3]) expect(await all(tasks, threads)).toEqual(tasks.map((task) => task * 3));
    expect(await all([], 2)).toEqual([]);
    expect(await all([5], 8)).toEqual([15]);
  });

  it('fail where one of them fails, here or there', async () => {
    const failing = (): Promise<number> => Promise.reject(new Error('failed here'));
    await expect(
      mapInThreads(tasks, failing, { script, workerData: { factor: 3, fails: -1 }, threads: 2 }).next(),
    ).rejects.toThrow('failed here');
    await expect(all(tasks, 2, 3)).rejects.toThrow('task 3 failed');
  });

  it('end early where nobody wants more', async () => {
    const results = mapInThreads(tasks, triple, { script, workerData: { factor: 3, fails: -1 }, threads: 2 });
    expect((await results.next()).value).toBe(0);
    await results.return();
    expect((await results.next()).done).toBe(true);
  });
});
