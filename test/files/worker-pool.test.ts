import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapInThreads, threadsFor } from '../../src/files/worker-pool.ts';
import { projectRoot } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'sessionctl-pool-'));
const script = join(folder, 'worker.mjs');

beforeAll(async () => {
  const source = join(folder, 'worker.ts');
  writeFileSync(
    source,
    `import { serveTasks } from '${join(projectRoot, 'src/files/worker-pool.ts')}';
    serveTasks((settings) => async (task) => {
      await new Promise((done) => setTimeout(done, task % 7));
      if (task === settings.fails) throw new Error('task ' + task + ' failed');
      return task * settings.factor;
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

const pool = (threads: number, fails = -1) => ({ script, settings: { factor: 3, fails }, threads });

async function all(tasks: readonly number[], threads: number, fails = -1): Promise<number[]> {
  const results: number[] = [];
  for await (const result of mapInThreads(tasks, triple, pool(threads, fails))) results.push(result);
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
    await expect(mapInThreads(tasks, failing, pool(2)).next()).rejects.toThrow('failed here');
    await expect(all(tasks, 2, 3)).rejects.toThrow('task 3 failed');
  });

  it('are shared out also where there are few of them', async () => {
    const here: number[] = [];
    const slow = async (task: number): Promise<number> => {
      here.push(task);
      // Long enough for a worker to start.
      await new Promise((done) => setTimeout(done, 500));
      return task * 3;
    };
    const results: number[] = [];
    for await (const result of mapInThreads([1, 2, 3], slow, pool(2))) results.push(result);
    expect(results).toEqual([3, 6, 9]);
    expect(here.length).toBeLessThan(3);
  });

  it('take more than one thread where there are enough bytes and a script for it', async () => {
    const large = [20_000_000, 20_000_000];
    expect(await threadsFor(large, script)).toBe(Math.min(2, availableParallelism()));
    expect(await threadsFor(large.slice(1), script)).toBe(1);
    expect(await threadsFor([1000, 1000], script)).toBe(1);
    expect(await threadsFor(large, join(folder, 'nowhere.cjs'))).toBe(1);
  });

  it('end early where nobody wants more', async () => {
    const results = mapInThreads(tasks, triple, pool(2));
    expect((await results.next()).value).toBe(0);
    await results.return();
    expect((await results.next()).done).toBe(true);
  });
});
