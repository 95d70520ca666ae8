import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import width from '../../src/util/width.ts';
import { message } from '../support/memory-session.ts';
import { projectRoot, run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder();
const branches = join(projectRoot, 'fixtures/sessions/pi-branches.jsonl');
const header = { type: 'session', version: 3, id: 'head', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' };
const jsonl = (...values: readonly (object | string)[]): string =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');
const idsOf = (stdout: string): string[] =>
  stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ')[0] as string]));

describe('log', () => {
  it('lists the path of the last entry, oldest first, with labels and the leaf marked', async () => {
    const { code, stdout, stderr } = await run(['log', branches]);
    expect([code, stderr]).toEqual([0, '']);
    expect(idsOf(stdout)[0]).toBe('4897f003');
    expect(idsOf(stdout).length).toBe(15);
    expect(stdout).toContain('13ab93d9 (cause found) assistant  ');
    expect(stdout.split('\n').at(-2)).toBe('62f2363f (@) session_info Weeks start a day early');
    expect(stdout).not.toContain('bfe0604a');
  });

  it('takes another leaf, turns the order round, and counts from the end', async () => {
    expect(idsOf((await run(['log', '--leaf', 'leaf:2', '-n', '2', branches])).stdout)).toEqual([
      '39718e32',
      'bfe0604a',
    ]);
    expect(idsOf((await run(['log', '--leaf', 'leaf:2', '-n', '2', '-r', branches])).stdout)).toEqual([
      'bfe0604a',
      '39718e32',
    ]);
    expect(idsOf((await run(['log', '--leaf', 'cause found', '-r', branches])).stdout)).toEqual(
      idsOf((await run(['log', '--leaf', 'cause found', branches])).stdout).reverse(),
    );
    expect((await run(['log', '-n', '0', branches])).stdout).toBe('');
  });

  it('filters by type, role and text before it counts', async () => {
    expect(idsOf((await run(['log', '--role', 'user', '--role', 'toolResult', '-n', '2', branches])).stdout)).toEqual([
      'a85e5bec',
      '2f0d6985',
    ]);
    expect(idsOf((await run(['log', '--type', 'model_change', '--type', 'branch_summary', branches])).stdout)).toEqual([
      '4897f003',
      '01de1cc1',
    ]);
    expect(idsOf((await run(['log', '--grep', 'zeller or', '--ignore-case', branches])).stdout)).toEqual(['990f2e29']);
    expect((await run(['log', '--grep', 'zeller or', branches])).stdout).toBe('');
    expect(idsOf((await run(['log', '--grep', 'America.New_York', branches])).stdout)).toEqual(['02501558']);
    expect(await run(['log', '--role', 'developer', branches])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await run(['log', '--type', 'compaction', branches])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('refuses a role and a type that no entry has and none is known to have, and names the nearest', async () => {
    const refused = async (...words: string[]): Promise<string> => {
      const ran = await run(['log', ...words, branches]);
      expect([ran.code, ran.stdout]).toEqual([2, '']);
      return ran.stderr.split('\n')[0] as string;
    };
    expect(await refused('--role', 'usr')).toBe("sessionctl: no message has the role 'usr'; did you mean 'user'?");
    expect(await refused('--role', 'user', '--role', 'Assistant')).toBe(
      "sessionctl: no message has the role 'Assistant'; did you mean 'assistant'?",
    );
    expect(await refused('--type', 'msg')).toBe(
      "sessionctl: no entry has the type 'msg'; types are model_change, thinking_level_change, message, label, branch_summary, session_info",
    );
    expect(await refused('--type', 'sesion_info')).toBe(
      "sessionctl: no entry has the type 'sesion_info'; did you mean 'session_info'?",
    );
    expect(await refused('--role', 'label')).toContain("no message has the role 'label'; ");
    expect(await refused('--role', '')).toContain("no message has the role ''; ");
  });

  it('takes a role and a type that only this file has, on any branch and however many there are', async () => {
    const own = join(folder, 'own.jsonl');
    const entry = (type: string, id: string, rest: object = {}) => ({
      type,
      id,
      parentId: null,
      timestamp: header.timestamp,
      ...rest,
    });
    const many = Array.from({ length: 300 }, (_, at) => entry(`type-${at}`, `t${at}`));
    const message = entry('message', 'm', { message: { role: 'moderator', content: 'x' } });
    writeFileSync(own, jsonl(header, ...many, message, entry('last_type', 'z')));
    expect(await run(['log', '--type', 'type-3', own])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await run(['log', '--role', 'moderator', own])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(idsOf((await run(['log', '--type', 'last_type', own])).stdout)).toEqual(['z']);
    expect((await run(['log', '--type', 'type-299', own])).code).toBe(0);
    expect((await run(['log', '--type', 'type-300', own])).code).toBe(2);
  });

  it.each(['', '\n\n'])(
    'says that a file without header and entries (%j) holds nothing, and exits 1',
    async (content) => {
      const empty = join(folder, 'empty.jsonl');
      writeFileSync(empty, content);
      const said = {
        code: 1,
        stderr: `sessionctl: ${empty}: has neither a header nor entries; there is nothing to show\n`,
      };
      for (const command of ['log', 'export', 'tree', 'context'])
        expect(await run([command, empty])).toMatchObject(said);
      writeFileSync(empty, jsonl(header));
      for (const command of ['log', 'export', 'tree', 'context'])
        expect(await run([command, empty])).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('gives one record an entry with --json, the whole text in it', async () => {
    const { stdout } = await run(['log', '--json', '--leaf', '13ab93d9', '-n', '1', branches]);
    const record = JSON.parse(stdout) as Record<string, unknown>;
    expect(record).toMatchObject({
      line: 9,
      id: '13ab93d9',
      parentId: '20663520',
      type: 'message',
      role: 'assistant',
      label: 'cause found',
    });
    expect(String(record['text'])).toContain('\n');
  });

  it('reads stdin, and shows nothing of a session without entries', async () => {
    expect(idsOf((await run(['log'], { stdin: jsonl(header, message('a', null), message('b', 'a')) })).stdout)).toEqual(
      ['a', 'b'],
    );
    expect(await run(['log', '-'], { stdin: jsonl(header) })).toMatchObject({ code: 0, stdout: '' });
    expect(await run(['log'], { stdin: '' })).toMatchObject({ code: 1, stdout: '' });
  });

  it('leaves damaged lines out, says so once and exits 1', async () => {
    const path = join(folder, 'damaged.jsonl');
    writeFileSync(path, jsonl(header, message('a', null), '{"torn', message('b', 'a')));
    const { code, stdout, stderr } = await run(['log', path]);
    expect([code, idsOf(stdout)]).toEqual([1, ['a', 'b']]);
    expect(stderr).toBe(
      `sessionctl: ${path}: line 3 is damaged (torn-line) and was left out; 'sessionctl repair' fixes what can be fixed\n`,
    );
    expect((await run(['log', '--leaf', 'line:3', path])).code).toBe(2);
  });

  it('names an entry without an id by its line', async () => {
    expect((await run(['log'], { stdin: jsonl(header, { ...message('a', null), id: 7 }) })).stdout).toContain(
      'line:2 (@) user',
    );
  });

  it('tells no role with --json where a message has none', async () => {
    const { stdout } = await run(['log', '--json'], { stdin: jsonl(header, { ...message('a', null), message: {} }) });
    expect(JSON.parse(stdout)).not.toHaveProperty('role');
  });

  it('cuts a long label on a terminal, so that there is room for the text', async () => {
    const label = {
      type: 'label',
      id: 'b',
      parentId: 'a',
      timestamp: header.timestamp,
      targetId: 'a',
      label: 'the cause '.repeat(9),
    };
    const kind = 'a_rather_long_type_of_an_extension';
    const stdin = jsonl(header, message('a', null, { role: 'user', content: 'why is it slow?' }), label, {
      ...{ type: kind, id: 'c', parentId: 'b', timestamp: header.timestamp },
    });
    for (const columns of [30, 40, 71]) {
      const { stdout } = await run(['log', '--color', 'never'], { stdin, stdoutIsTerminal: true, columns });
      for (const line of stdout.split('\n')) expect(width(line)).toBeLessThanOrEqual(columns);
      if (columns > 30) expect(stdout).toMatch(/^a \(the cause? ?.*…\) user {7}why is i/);
    }
    expect((await run(['log'], { stdin })).stdout).toContain(`(${label.label}) user       why is it slow?`);
  });

  it('fits rows to the terminal, wide characters counted, control characters escaped', async () => {
    const wild =
      'red \u001b[31m \u202eevil \u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57\u6f22\u5b57';
    const stdin = jsonl(header, message('a', null, { role: 'user', content: wild }));
    for (const columns of [40, 41, 42, 60]) {
      const { stdout } = await run(['log', '--color', 'never'], { stdin, stdoutIsTerminal: true, columns });
      expect(width(stdout.trimEnd())).toBeLessThanOrEqual(columns);
      expect(width(stdout.trimEnd())).toBeGreaterThanOrEqual(columns - 2);
      expect(stdout).toContain('red \\x1b[31m');
    }
    expect((await run(['log'], { stdin })).stdout).toContain(wild);
    expect((await run(['log', '--color', 'always'], { stdin })).stdout).toContain('\u001b[33ma\u001b[39m');
  });

  it('says what is wrong with a wrong call', async () => {
    expect(await run(['log', '--grep', '(', branches])).toMatchObject({ code: 2 });
    expect((await run(['log', '--grep', '(', branches])).stderr).toContain(
      "option '--grep' needs a regular expression, not '('",
    );
    expect((await run(['log', '--ignore-case', branches])).stderr).toContain("'--ignore-case' needs '--grep'");
    expect((await run(['log', branches, branches])).stderr).toContain('one FILE at a time');
    expect((await run(['log', '--leaf', 'nowhere', branches])).stderr).toMatch(/'nowhere' does not match any entry/);
    expect((await run(['log'], { stdin: 'hello\n' })).stderr).toContain('looks like plain text');
  });

  it('reads an id that starts with a dash', async () => {
    const stdin = jsonl(header, message('-abc', null), message('b', '-abc'));
    expect(idsOf((await run(['log', '--leaf=-abc'], { stdin })).stdout)).toEqual(['-abc']);
  });

  it('works as a program, and ends quietly when its reader goes away', async () => {
    expect(idsOf((await spawnProgram(['log', branches])).stdout).length).toBe(15);
    const many = join(folder, 'many.jsonl');
    const entries = Array.from({ length: 20_000 }, (_, at) => message(`e${at}`, at === 0 ? null : `e${at - 1}`));
    writeFileSync(many, jsonl(header, ...entries));
    const { code, stdout, stderr } = await spawnCommand(
      'bash',
      ['-c', 'set -o pipefail; node bin/sessionctl.js log "$0" | head -1', many],
      {
        cwd: projectRoot,
      },
    );
    expect([code, stdout, stderr]).toEqual([0, 'e0 user       e0\n', '']);
  });

  it('takes -N for the last N, as git does', async () => {
    const file = join(projectRoot, 'fixtures/sessions/pi-branches.jsonl');
    expect((await run(['log', '-2', file])).stdout).toBe((await run(['log', '-n', '2', file])).stdout);
    expect((await run(['log', '-12', file])).stdout).toBe((await run(['log', '-n', '12', file])).stdout);
    expect(await run(['tree', '-2', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("unknown option '-2'"),
    });
  });

  it('shows times on a terminal unless it is told not to, and elsewhere if it is asked', async () => {
    const on = async (...args: readonly string[]): Promise<string> =>
      (await run(['log', '-1', ...args, branches], { stdoutIsTerminal: true, env: { NO_COLOR: '1' } })).stdout;
    const time = /^\d{4}-\d\d-\d\d \d\d:\d\d /;
    expect(await on()).toMatch(time);
    expect(await on('--no-time')).not.toMatch(time);
    expect((await run(['log', '-1', '--time', branches])).stdout).toMatch(time);
    expect((await run(['log', '-1', branches])).stdout).not.toMatch(time);
  });

  it('lists what was written since a time', async () => {
    const all = (await run(['log', '--json', branches])).stdout.trim().split('\n');
    const { timestamp } = JSON.parse(all[3] ?? '') as { timestamp: string };
    const later = (await run(['log', '--json', '--since', timestamp, branches])).stdout.trim().split('\n');
    expect(later).toEqual(all.slice(3));
    expect(await run(['log', '--since', 'never', branches])).toMatchObject({ code: 2 });
  });
});
