import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeMatcher } from '../../src/sessions/matcher.ts';
import { settings } from '../support/properties.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const home = scratchFolder();
const env = { HOME: home };
const fixtures = join(projectRoot, 'fixtures');
const claude = join(fixtures, 'formats/claude-code/2.1.325/tools.jsonl');

const FILES = {
  '.claude/projects/p/tools.jsonl': 'formats/claude-code/2.1.325/tools.jsonl',
  '.codex/sessions/plain.jsonl': 'formats/codex/0.166.0/plain.jsonl',
  '.pi/agent/sessions/branches.jsonl': 'sessions/pi-branches.jsonl',
};

beforeAll(() => {
  for (const [path, from] of Object.entries(FILES)) {
    mkdirSync(join(home, dirname(path)), { recursive: true });
    copyFileSync(join(fixtures, from), join(home, path));
  }
});

const grep = async (...args: readonly string[]) => await run(['grep', ...args], { env });

describe('grep', () => {
  it('finds what was said in all sessions, and says who said it on which line', async () => {
    const ran = await grep('Say hello');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/plain\.jsonl:\d+: user: Say hello\.\n$/);
    expect(await grep('no such words anywhere')).toMatchObject({ code: 1, stdout: '', stderr: '' });
  });

  it('finds it in every format', async () => {
    for (const [words, path] of [
      ['port to 4000', claude],
      ['Say hello', join(fixtures, 'formats/codex/0.166.0/plain.jsonl')],
      ['port to 4000', join(fixtures, 'formats/gemini/0.61.0/tools.jsonl')],
      ['port to 4000', join(fixtures, 'formats/opencode/1.18.33/tools.json')],
      ['Fix the test', join(fixtures, 'formats/opencode/hand/steps.json')],
    ] as const)
      expect((await grep('-c', words, path)).stdout).toMatch(/:[1-9]\d*\n$/);
  });

  it('selects by who speaks, tool, case, word and number', async () => {
    const speakers = async (...args: readonly string[]): Promise<string[]> =>
      (await grep('--json', ...args, claude)).stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { speaker: string }).speaker);
    expect(new Set(await speakers('port'))).toContain('user');
    expect(new Set(await speakers('--in', 'call,result', 'port'))).toEqual(new Set(['call', 'result']));
    expect(new Set(await speakers('--in', 'call', '--tool', 'Bash', 'echo'))).toEqual(new Set(['call']));
    expect(await speakers('PORT')).toEqual([]);
    expect((await speakers('-i', 'PORT')).length).toBeGreaterThan(0);
    expect(await speakers('-w', 'por')).toEqual([]);
    expect(await speakers('-m', '1', 'port')).toHaveLength(1);
    expect(await speakers('-F', 'p.rt')).toEqual([]);
    expect((await speakers('p.rt')).length).toBeGreaterThan(0);
    expect(await grep('--in', 'nobody', 'x', claude)).toMatchObject({ code: 2 });
  });

  it('prints the names of files, counts, and the texts around a hit', async () => {
    expect((await grep('-l', 'port', claude)).stdout).toBe(`${claude}\n`);
    const around = (await grep('-C', '1', '-m', '1', 'Change the port', claude)).stdout.split('\n');
    expect(around.filter((line) => line.startsWith(`${claude}:`))).toHaveLength(1);
    expect(around.filter((line) => line.startsWith(`${claude}-`))).toHaveLength(1);
  });

  it('looks at text and not at JSON: neither keys, ids nor base64, but what escapes hide', async () => {
    const path = join(home, 'one.jsonl');
    const image = { type: 'image', data: 'aGlkZGVu', mimeType: 'image/png' };
    const message = { role: 'user', content: [{ type: 'text', text: 'line one\nsays "quoted"' }, image], timestamp: 1 };
    const first = { type: 'message', id: 'a', parentId: null, timestamp: '2026-01-01T00:00:00.000Z', message };
    const last = JSON.stringify({ ...(JSON.parse(user('b', 'a', 'x')) as object), id: 'b' }).replace(
      '"x"',
      '"\\u0061bc"',
    );
    writeFileSync(path, `${HEADER}${JSON.stringify(first)}\n${last}\n`);
    expect((await grep('-c', 'one says "quoted"', path)).code).toBe(1);
    expect((await grep('-c', '-F', 'says "quoted"', path)).stdout).toBe(`${path}:1\n`);
    expect((await grep('one\\ssays', path)).stdout).toContain('line one says "quoted"');
    expect((await grep('aGlkZGVu', path)).code).toBe(1);
    expect((await grep('mimeType', path)).code).toBe(1);
    expect((await grep('abc', path)).code).toBe(0);
  });

  it('says what it left out of damaged files, and refuses what is neither a file nor an agent', async () => {
    const path = join(home, 'torn.jsonl');
    writeFileSync(path, `${HEADER}${user('a', null, 'hello there')}{"type":"mess`);
    const ran = await grep('hello', path);
    expect(ran).toMatchObject({ code: 0, stderr: 'sessionctl: 1 damaged line in 1 file not searched\n' });
    const notes = join(home, 'notes.txt');
    writeFileSync(notes, 'hello\n');
    const other = await grep('hello', path, notes);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('notes.txt: not a supported session log') });
    expect(other.stdout).toContain('hello there');
    expect(await grep('x', join(home, 'nowhere.jsonl'))).toMatchObject({ code: 2, stdout: '' });
    expect(await grep()).toMatchObject({ code: 2, stdout: '' });
    expect(await grep('', path)).toMatchObject({ code: 2 });
  });

  it('goes on behind a file of a folder that cannot be read, and says so', async () => {
    const folder = scratchFolder();
    symlinkSync('nowhere', join(folder, 'a.jsonl'));
    writeFileSync(join(folder, 'b.jsonl'), `${HEADER}${user('a', null, 'hello there')}`);
    writeFileSync(join(folder, 'c.jsonl'), '{"hello":1}\n{"hello":2}\n');
    const ran = await grep('hello', folder);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toBe(`${join(folder, 'b.jsonl')}:2: user: hello there\n`);
    expect(ran.stderr).toMatch(/^sessionctl: 2 files not searched, such as .*\.jsonl: .*\n$/);
  });

  it('cannot be made to hang by a pattern, and refuses what RE2 does not have', async () => {
    const path = join(home, 'long.jsonl');
    writeFileSync(path, `${HEADER}${user('a', null, `${'a'.repeat(1_000_000)}b`)}`);
    expect((await grep('(a+)+$', path)).code).toBe(1);
    expect((await grep('(a*)*(a|a)*c', path)).code).toBe(1);
    expect(await grep('(a)\\1', path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('-F finds it as a text'),
    });
    expect(await grep('(unclosed', path)).toMatchObject({ code: 2 });
  });

  it('passes over no file that has a match, however its JSON is spelled', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1, maxLength: 12 }),
        fc.string(),
        fc.string(),
        async (word, before, after) => {
          const matcher = await makeMatcher(word, { isFixed: true, ignoresCase: false, isWord: false });
          const text = before + word + after;
          expect(matcher.find(text)).toBeDefined();
          expect(matcher.mayMatch(Buffer.from(JSON.stringify({ text })))).toBe(true);
        },
      ),
      settings(300),
    );
  });
});
