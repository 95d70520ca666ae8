import { describe, expect, it } from 'vitest';
import { wantsColor } from '../../src/cli/io.ts';
import { run } from '../support/run.ts';
import { HEADER } from '../support/sessions.ts';

type Env = Readonly<Record<string, string>>;
const table: readonly (readonly [when: string, env: Env, isTerminal: boolean, color: boolean])[] = [
  ['auto', {}, true, true],
  ['auto', {}, false, false],
  ['auto', { TERM: 'dumb' }, true, false],
  ['auto', { TERM: 'dumb', FORCE_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '0' }, true, false],
  ['auto', { FORCE_COLOR: 'false' }, true, false],
  ['auto', { FORCE_COLOR: '' }, false, false],
  ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '' }, true, true],
  ['always', { NO_COLOR: '1', FORCE_COLOR: '0', TERM: 'dumb' }, false, true],
  ['never', { FORCE_COLOR: '1' }, true, false],
];

describe('the decision for color', () => {
  it.each(table)('with --color=%s, %o and terminal %s is %s', (when, env, isTerminal, color) => {
    expect(wantsColor(when, env, isTerminal)).toBe(color);
  });

  it('is made for each stream by itself', async () => {
    const colored = (text: string): boolean => text.includes('\u001b[');
    expect(colored((await run([], { stdoutIsTerminal: false, stderrIsTerminal: true })).stderr)).toBe(true);
    expect(colored((await run([], { stdoutIsTerminal: true, stderrIsTerminal: false })).stderr)).toBe(false);
    expect(colored((await run(['--help'], { stdoutIsTerminal: true, stderrIsTerminal: false })).stdout)).toBe(true);
    expect(colored((await run(['--help'], { stdoutIsTerminal: false, stderrIsTerminal: true })).stdout)).toBe(false);
  });

  it('is reported by --color in both spellings, by the last one, and not behind --', async () => {
    const colored = async (...argv: string[]): Promise<boolean> =>
      (await run(['validate', '--help', ...argv])).stdout.includes('\u001b[');
    expect(await colored('--color=always')).toBe(true);
    expect(await colored('--color', 'always')).toBe(true);
    expect(await colored('--color=always', '--color=never')).toBe(false);
    expect(await colored('--', '--color=always')).toBe(false);
  });

  it('colors findings in a pipe too where that is asked for', async () => {
    const { stdout, stderr } = await run(['validate', '--color=always', '-'], { stdin: `${HEADER}{"torn\n` });
    expect(stdout).toContain('-:2: \u001b[31merror\u001b[39m: ');
    expect(stderr).toContain('\u001b[31m1 error in');
  });

  it('colors what grep has found in a pipe too where that is asked for', async () => {
    const words = ['grep', 'checkout', '--color=always', 'fixtures/readme/crashed.jsonl'];
    const { stdout } = await run(words);
    expect(stdout).toContain('\u001b[31mcheckout\u001b[39m');
    expect((await run(words.filter((word) => !word.startsWith('--color')))).stdout).not.toContain('\u001b');
  });

  it('refuses a when that does not exist', async () => {
    const ran = await run(['validate', '--color=blue', '-']);
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.stderr).toContain("option '--color' must be one of auto, always, never, not 'blue'");
  });
});
