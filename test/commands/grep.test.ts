import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { opencodeDatabase } from '../support/opencode.ts';
import { projectRoot, run, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { entry, HEADER, user } from '../support/sessions.ts';

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

  it('finds it in every session of a database, and in one of them', async () => {
    const folder = scratchFolder();
    const path = join(folder, '.local/share/opencode/opencode.db');
    mkdirSync(dirname(path), { recursive: true });
    opencodeDatabase(path, {
      ses_a: { text: 'the needle' },
      ses_b: { text: 'another needle' },
      ses_c: { text: 'a needle of a subagent', parent: 'ses_a' },
      ses_d: { text: 'nothing' },
    });
    const found = async (...args: readonly string[]) => await run(['grep', ...args], { env: { HOME: folder } });
    const hits = {
      ses_b: `${path}#ses_b:1: user: another needle\n`,
      ses_a: `${path}#ses_a:1: user: the needle\n`,
      ses_c: `${path}#ses_c:1: user: a needle of a subagent\n`,
    };
    expect(await found('needle')).toMatchObject({ code: 0, stderr: '', stdout: Object.values(hits).join('') });
    expect((await found('-C', '1', 'needle', path)).stdout).toBe(Object.values(hits).join(''));
    expect((await found('-m', '2', 'needle', 'opencode')).stdout).toBe(hits.ses_b + hits.ses_a);
    expect((await found('-l', 'needle')).stdout).toBe(`${path}\n`);
    expect((await found('-c', 'needle')).stdout).toBe(`${path}:3\n`);
    expect((await found('needle', 'opencode:ses_a')).stdout).toBe(hits.ses_a);
    expect((await found('needle', `${path}#ses_c`)).stdout).toBe(hits.ses_c);
    expect(await found('needle', 'opencode:last')).toMatchObject({ code: 1, stdout: '', stderr: '' });
    expect((await found('--json', 'needle', `${path}#ses_c`)).stdout).toContain(`"file":"${path}#ses_c","line":1,`);
  });

  it('finds it in the records of a subagent between those of its parent', async () => {
    const path = join(scratchFolder(), 'claude.jsonl');
    const record = { parentUuid: null, type: 'user', sessionId: 's', cwd: '/w', timestamp: '2026-01-01T00:00:00.000Z' };
    const said = (uuid: string, isSidechain: boolean, content: string): string =>
      `${JSON.stringify({ ...record, uuid, isSidechain, message: { role: 'user', content } })}\n`;
    writeFileSync(path, said('a', false, 'ask somebody') + said('b', true, 'the needle') + said('c', false, 'needles'));
    expect((await grep('needle', path)).stdout).toBe(`${path}:3: user: needles\n${path}:2: user: the needle\n`);
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
    expect(await grep('-m', '0', 'port', claude)).toMatchObject({ code: 1, stdout: '' });
    const stderr = expect.stringContaining("'--count' and '--json' exclude each other");
    expect(await grep('--json', '-c', 'port', claude)).toMatchObject({ code: 2, stderr });
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

  it('takes no number that a call was given for text, whatever its digits', async () => {
    const path = join(home, 'numbers.jsonl');
    const calls = join(fixtures, 'formats/codex/0.166.0/big-output.jsonl');
    const given = readFileSync(calls, 'utf8').replace('{\\"cmd\\":', '{\\"wait\\":1.50,\\"cmd\\":');
    writeFileSync(path, given);
    const { stdout } = await grep('--json', '--in', 'call', 'seq 1 40000', path);
    expect(given).toContain('1.50');
    expect(JSON.parse(stdout)).toMatchObject({ speaker: 'call', text: 'exec_command\nseq 1 40000' });
    expect((await grep('number', path)).code).toBe(1);
  });

  it('says what it left out of damaged files, and refuses what is neither a file nor an agent', async () => {
    const path = join(home, 'torn.jsonl');
    writeFileSync(path, `${HEADER}${user('a', null, 'hello there')}{"type":"message","text":"hello`);
    const ran = await grep('hello', path);
    expect(ran).toMatchObject({
      code: 0,
      stderr: `sessionctl: 1 damaged line in 1 file not searched\nsessionctl: damaged: ${path}\n`,
    });
    const notes = join(home, 'notes.txt');
    writeFileSync(notes, 'hello\n');
    const other = await grep('hello', path, notes);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('notes.txt: not a supported session log') });
    expect(other.stdout).toContain('hello there');
    const silent = await grep('no such words', notes);
    expect(silent).toMatchObject({ ...{ code: 2, stdout: '' }, stderr: other.stderr.split('\n')[0]?.concat('\n') });
    const empty = join(home, 'empty.jsonl');
    writeFileSync(empty, '');
    expect(await grep('x', empty, claude)).toMatchObject({ code: 0, stderr: '' });
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
    expect(ran.stderr).toMatch(
      /^sessionctl: 1 file not searched, such as .*c\.jsonl: .*\nsessionctl: not searched: .*a\.jsonl: .*\n$/,
    );
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

  it('finds what a user ran or mentioned, and no words that nobody said', async () => {
    const path = join(home, 'ran.jsonl');
    const ran = { role: 'bashExecution', command: 'make check', output: 'all well\n', exitCode: 0, timestamp: 1 };
    const mention = { role: 'fileMention', files: [{ path: '/r/notes.md', content: 'to do' }], timestamp: 1 };
    const line = (id: string, message: object): string => entry('message', id, null, { message });
    writeFileSync(path, `${HEADER}${line('a', ran)}${line('b', mention)}`);
    for (const words of ['make check', 'all well', 'notes.md', 'to do'])
      expect((await grep('-c', '-F', words, path)).stdout).toBe(`${path}:1\n`);
    for (const words of ['The user ran', 'It printed', 'The user mentioned', 'a.*shell.*command'])
      expect((await grep('-c', words, path)).code).toBe(1);
  });

  it('tells the same in the same order, whether one thread searches or several, and ends quietly in a pipe', async () => {
    const folder = scratchFolder();
    const long = 'x'.repeat(1_200_000);
    for (let at = 0; at < 24; at++) {
      const name = join(folder, `${String(at).padStart(2, '0')}.jsonl`);
      const lines = Array.from({ length: 3 }, (_, one) => user(`a${one}`, null, `needle ${at}.${one} in ${long}`));
      writeFileSync(name, `${HEADER}${lines.join('')}${at % 5 === 0 ? '{"needle' : ''}`);
      utimesSync(name, 1_700_000_000 - at, 1_700_000_000 - at);
    }
    // Alone, a file is searched by one thread.
    const apart: string[] = [];
    for (let at = 0; at < 24; at++)
      apart.push((await spawnProgram(['grep', 'needle', join(folder, `${String(at).padStart(2, '0')}.jsonl`)])).stdout);
    const together = await spawnProgram(['grep', 'needle', folder]);
    expect(together.stdout).toBe(apart.join(''));
    const damaged = ['00', '05', '10', '15', '20'].map((name) => `sessionctl: damaged: ${join(folder, name)}.jsonl\n`);
    expect(together.stderr).toBe(`sessionctl: 5 damaged lines in 5 files not searched\n${damaged.join('')}`);
    // More than is held of a file that was searched early.
    const json = await spawnProgram(['grep', '--json', 'needle', folder]);
    expect(json.stdout.split('\n')).toHaveLength(24 * 3 + 1);
    const piped = spawnSync('sh', [
      '-c',
      `node ${join(projectRoot, 'bin/sessionctl.js')} grep --json needle ${folder} | head -c 10`,
    ]);
    expect([piped.status, String(piped.stdout), String(piped.stderr)]).toEqual([0, '{"file":"/', '']);
  });
});
