import { describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import { makeRandom } from '../bench/texts.ts';
import { bundleProgram } from '../support/bundle.ts';
import { projectRoot, spawnCommand } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { drawCall, VALUES } from './calls.ts';
import { stockOf } from './fuzz.ts';
import { mutated } from './mutate.ts';

describe('the fuzzer', () => {
  it('has values for every option that has no choices', async () => {
    const options = (await Promise.all(commands.map(async (one) => await one.load()))).flatMap((one) => one.options);
    const free = options
      .filter((option) => option.kind !== 'flag' && option.choices === undefined)
      .map((option) => option.name);
    expect(Object.keys(VALUES).sort()).toEqual([...new Set(free)].sort());
  });

  it('draws every command with every one of its options', async () => {
    const draw = makeRandom(1);
    const drawn = new Set<string>();
    for (let times = 0; times < 4000; times++) {
      const call = await drawCall(draw);
      drawn.add(call.command);
      for (const name of call.given) drawn.add(`${call.command} ${name}`);
    }
    for (const entry of commands) {
      const { name, options } = await entry.load();
      expect(drawn).toContain(name);
      for (const option of options) expect(drawn).toContain(`${name} ${option.name}`);
    }
  });

  it('makes the same logs of the same seed, and nearly always another one', () => {
    const { healthy, odd } = stockOf(projectRoot);
    const make = (seed: number): string => mutated(makeRandom(seed), healthy, odd);
    const all = Array.from({ length: 50 }, (_, seed) => make(seed));
    expect(all).toEqual(Array.from({ length: 50 }, (_, seed) => make(seed)));
    expect(new Set(all).size).toBeGreaterThan(45);
    expect(all.filter((log) => healthy.includes(log) || odd.includes(log)).length).toBeLessThan(5);
  });

  it('finds nothing in a few seconds', async () => {
    const program = bundleProgram('test/fuzz/main.ts', scratchFolder());
    const argv = [program, '--root', projectRoot, '--seed', '1', '--seconds', '5', '--cases', '400'];
    const ran = await spawnCommand(process.execPath, argv);
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toMatch(
      /^\d+ cases, \d+ calls \(\d+ as a process of its own, \d+ MB at most\), seed 1: 0 failures\n$/,
    );
    expect(Number(/^(\d+)/.exec(ran.stdout)?.[1])).toBeGreaterThan(5);
    expect(ran.code).toBe(0);
  });
});
