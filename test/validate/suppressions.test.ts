import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const scratch = scratchFolder();
const logs = join(scratch, 'logs');
const file = join(scratch, 'known.json');
const log = (name: string, torn: number, blank: number): void =>
  writeFileSync(join(logs, name), HEADER + '{"x\n'.repeat(torn) + '\n'.repeat(blank) + user('a', null));
const known = (): unknown => JSON.parse(readFileSync(file, 'utf8'));
const validate = (...words: string[]) => run(['validate', '--no-config', '--suppressions', file, ...words, logs]);

beforeEach(() => {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(logs, { recursive: true });
  log('a.jsonl', 2, 1);
  log('b.jsonl', 0, 0);
});

describe('suppressions', () => {
  it('are written by --suppress-all, and what they know is not reported', async () => {
    const said = 'no new problems found in 2 sessions (2 entries); 3 findings suppressed\n';
    expect(await validate('--suppress-all')).toMatchObject({ code: 0, stdout: '', stderr: `sessionctl: ${said}` });
    expect(known()).toEqual({ 'logs/a.jsonl': { 'blank-line': { count: 1 }, 'torn-line': { count: 2 } } });
    expect(await validate()).toMatchObject({ code: 0, stdout: '', stderr: `sessionctl: ${said}` });
    const json = (await validate('--format', 'json')).stdout;
    expect(JSON.parse(json)).toMatchObject({ summary: { errors: 0, warnings: 0, suppressed: 3 } });
  });

  it('never hide a new finding: with one more of a rule than is known, all of that rule show', async () => {
    await validate('--suppress-all');
    log('a.jsonl', 3, 1);
    const ran = await validate();
    expect(ran.code).toBe(1);
    expect(ran.stdout.match(/torn-line/g)).toHaveLength(3);
    expect(ran.stdout).not.toContain('blank-line');
    log('a.jsonl', 2, 1);
    log('b.jsonl', 1, 0);
    expect((await validate()).stdout).toMatch(/^[^\n]*b\.jsonl:2: error: torn-line: [^\n]*\n$/);
  });

  it('that no longer occur are reported and fail the run until they are pruned, for they could hide what is new', async () => {
    await validate('--suppress-all');
    log('a.jsonl', 1, 0);
    const said = 'sessionctl: 2 suppressed findings no longer found; --prune-suppressions forgets what is gone\n';
    expect(await validate()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(said) });
    expect((await validate('--prune-suppressions')).code).toBe(0);
    expect(known()).toEqual({ 'logs/a.jsonl': { 'torn-line': { count: 1 } } });
    expect((await validate()).code).toBe(0);
    log('a.jsonl', 2, 0);
    expect((await validate('--prune-suppressions')).stdout.match(/torn-line/g)).toHaveLength(2);
    expect(known()).toEqual({ 'logs/a.jsonl': { 'torn-line': { count: 1 } } });
  });

  it('of files that are not checked in a run stay, and those of files that are gone are pruned', async () => {
    log('b.jsonl', 1, 0);
    await validate('--suppress-all');
    const words = ['validate', '--no-config', '--suppressions', file, '--prune-suppressions'];
    await run([...words, join(logs, 'a.jsonl')]);
    expect(Object.keys(known() as object)).toEqual(['logs/a.jsonl', 'logs/b.jsonl']);
    rmSync(join(logs, 'b.jsonl'));
    expect((await run([...words, join(logs, 'a.jsonl')])).code).toBe(0);
    expect(Object.keys(known() as object)).toEqual(['logs/a.jsonl']);
  });

  it('are the same in other threads', async () => {
    await validate('--suppress-all');
    log('b.jsonl', 1, 0);
    expect((await validate('--jobs', '2')).stdout).toBe((await validate('--jobs', '1')).stdout);
  });

  it('come from the configuration file too', async () => {
    const config = join(scratch, 'config.json');
    writeFileSync(config, '{"suppressions":"known.json"}');
    const words = ['validate', '--config', config];
    expect((await run([...words, '--suppress-all', logs])).code).toBe(0);
    expect((await run([...words, logs])).stderr).toContain('3 findings suppressed');
  });

  it.each([
    ['a missing file', undefined, [], 'known.json: no such file; --suppress-all writes it'],
    ['what is no JSON', '{', [], 'is not a file of suppressions'],
    ['a list', '[]', [], 'is not a file of suppressions'],
    ['a rule without a count', '{"a":{"torn-line":{}}}', [], 'is not a file of suppressions'],
    ['both at once', '{}', ['--suppress-all', '--prune-suppressions'], 'exclude each other'],
  ])('are refused: %s', async (_what, content, words, said) => {
    if (content !== undefined) writeFileSync(file, content);
    expect(await validate(...words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
    expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(content);
  });

  it('need a file', async () => {
    expect((await run(['validate', '--no-config', '--suppress-all', logs])).stderr).toContain(
      "'--suppress-all' needs '--suppressions FILE'",
    );
  });
});
