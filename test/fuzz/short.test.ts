import { describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import { makeRandom } from '../bench/data.ts';
import { bundleProgram } from '../support/bundle.ts';
import { projectRoot, spawnCommand } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { CALLS, WITHOUT_LOG } from './calls.ts';
import { healthySessions } from './fuzz.ts';
import { mutated } from './mutate.ts';

describe('the fuzzer', () => {
  it('calls every command of the registry that reads a log', () => {
    expect([...Object.keys(CALLS), ...WITHOUT_LOG].sort()).toEqual(commands.map((one) => one.name).sort());
  });

  it('makes the same logs of the same seed, and nearly always another one', () => {
    const healthy = healthySessions(projectRoot);
    const make = (seed: number): string => mutated(makeRandom(seed), healthy);
    const all = Array.from({ length: 50 }, (_, seed) => make(seed));
    expect(all).toEqual(Array.from({ length: 50 }, (_, seed) => make(seed)));
    expect(new Set(all).size).toBeGreaterThan(45);
    expect(all.filter((log) => healthy.includes(log)).length).toBeLessThan(5);
  });

  it('finds nothing in a few seconds', async () => {
    const program = bundleProgram('test/fuzz/main.ts', scratchFolder());
    const argv = [program, '--root', projectRoot, '--seed', '1', '--seconds', '5', '--cases', '400'];
    const ran = await spawnCommand(process.execPath, argv);
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toMatch(/^\d+ cases, \d+ calls, seed 1: 0 failures\n$/);
    expect(Number(/^(\d+)/.exec(ran.stdout)?.[1])).toBeGreaterThan(5);
    expect(ran.code).toBe(0);
  });
});
