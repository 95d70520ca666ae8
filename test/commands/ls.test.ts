import { chmodSync, copyFileSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import width from '../../src/util/width.ts';
import { opencodeDatabase } from '../support/opencode.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const home = scratchFolder();
const env = { HOME: home };
const fixtures = join(projectRoot, 'fixtures');

/** Where each session is, the oldest first, a day apart. */
const FILES = {
  '.claude/projects/p/tools.jsonl': 'formats/claude-code/2.1.325/tools.jsonl',
  '.claude/projects/p/fork.jsonl': 'formats/claude-code/2.1.325/fork.jsonl',
  '.codex/sessions/2026/plain.jsonl': 'formats/codex/0.166.0/plain.jsonl',
  '.gemini/tmp/x/chats/session-1.jsonl': 'formats/gemini/0.61.0/tools.jsonl',
  '.pi/agent/sessions/branches.jsonl': 'sessions/pi-branches.jsonl',
  '.prime/agent/sessions/compaction.jsonl': 'sessions/pi-compaction.jsonl',
} as const;
const START = Date.UTC(2026, 0, 1) / 1000;

beforeAll(() => {
  for (const [at, [path, from]] of Object.entries(FILES).entries()) {
    mkdirSync(join(home, dirname(path)), { recursive: true });
    copyFileSync(join(fixtures, from), join(home, path));
    utimesSync(join(home, path), START + at * 86_400, START + at * 86_400);
  }
  writeFileSync(join(home, '.claude/projects/p/notes.jsonl'), '{"a":1}\n{"b":2}\n');
  writeFileSync(join(home, '.claude/projects/p/readme.md'), 'text');
  symlinkSync('..', join(home, '.codex/sessions/2026/up'));
});

interface Row {
  readonly agent: string;
  readonly id: string;
  readonly cwd: string;
  readonly title: string;
  readonly path: string;
}

async function list(...args: readonly string[]): Promise<Row[]> {
  const { stdout } = await run(['ls', '--json', ...args], { env });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

describe('ls', () => {
  it('lists the sessions of all agents and of those made from pi, the newest first', async () => {
    const rows = await list();
    expect(rows.map(({ path }) => path)).toEqual(
      Object.keys(FILES)
        .reverse()
        .map((path) => join(home, path)),
    );
    // A file in a folder may be anything.
    expect((await run(['ls'], { env })).stderr).toMatch(
      /^sessionctl: 1 file not listed, such as .*notes\.jsonl: not a supp/,
    );
    expect(rows.map(({ agent }) => agent)).toEqual(['pi', 'pi', 'gemini', 'codex', 'claude', 'claude']);
    expect(rows.map(({ title }) => title)).toContain('Weeks start a day early');
    expect(rows.find(({ agent }) => agent === 'codex')).toMatchObject({
      cwd: '/home/ada/project',
      title: 'Say hello.',
    });
  });

  it('takes agents, folders and files, and selects by folder, time and number', async () => {
    expect(await list('codex')).toHaveLength(1);
    expect(await list('claude', join(home, '.pi'))).toHaveLength(3);
    expect(await list(join(fixtures, 'sessions/pi-branches.jsonl'))).toMatchObject([{ agent: 'pi' }]);
    expect((await list('--cwd', '/home/ada/calendar')).map(({ cwd }) => cwd)).toEqual(['/home/ada/calendar']);
    expect(await list('--cwd', '/home/ad')).toEqual([]);
    expect(await list('-n', '2')).toHaveLength(2);
    expect(await list('--since', '2026-01-04T00:00:00Z')).toHaveLength(3);
    expect(await list('--until', '2026-01-04T00:00:00Z')).toHaveLength(4);
    expect(await list('--root', join(fixtures, 'sessions'), 'codex')).toHaveLength(11);
  });

  it('prints fields between tabs for a pipe, and paths for xargs', async () => {
    const { stdout } = await run(['ls', 'codex'], { env });
    expect(stdout.split('\t')).toHaveLength(7);
    const paths = await run(['ls', '--paths', '-0', 'claude'], { env });
    expect(paths.stdout).toBe(
      `${join(home, '.claude/projects/p/fork.jsonl')}\0${join(home, '.claude/projects/p/tools.jsonl')}\0`,
    );
    expect(await run(['ls', '-0'], { env })).toMatchObject({ code: 2 });
  });

  it('says of a file that is named why it is not in the list, and calls an agent by one name', async () => {
    const notes = join(home, '.claude/projects/p/readme.md');
    const ran = await run(['ls', join(home, '.claude/projects/p/tools.jsonl'), notes], { env });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('readme.md: not a supported session log') });
    expect(ran.stdout).toMatch(/^claude\t/);
  });

  it('leaves out a file with nothing in it, which is no session yet', async () => {
    const folder = scratchFolder();
    const empty = join(folder, 'empty.jsonl');
    writeFileSync(empty, '');
    writeFileSync(join(folder, 'blank.jsonl'), '\n\n');
    writeFileSync(join(folder, 'torn.jsonl'), '{"type":"session","version":3,"id":"s"');
    const ran = await run(['ls', '--paths', folder], { env });
    expect(ran).toMatchObject({ code: 0, stdout: `${join(folder, 'torn.jsonl')}\n` });
    expect(ran.stderr).toMatch(/^sessionctl: 2 files not listed, such as .*: has neither a header nor entries\n$/);
    expect(await run(['ls', empty], { env })).toMatchObject({
      ...{ code: 2, stdout: '', stderr: `sessionctl: ${empty}: has neither a header nor entries\n` },
    });
  });

  it('leaves out the backups and the quarantine of a repair', async () => {
    const folder = scratchFolder();
    const file = join(folder, 'torn.jsonl');
    copyFileSync(join(fixtures, 'vectors/damage/l01-torn-tail.jsonl'), file);
    expect(await run(['repair', '-i', '--backup', file])).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toHaveLength(3);
    expect(await run(['ls', '--paths', folder])).toMatchObject({ code: 0, stdout: `${file}\n`, stderr: '' });
  });

  it('cuts its rows to a narrow terminal, and keeps the id', async () => {
    for (const columns of [40, 50, 60, 70, 80]) {
      const { stdout } = await run(['ls'], { env: { ...env, NO_COLOR: '1' }, stdoutIsTerminal: true, columns });
      const rows = stdout.trimEnd().split('\n');
      expect(rows).toHaveLength(6);
      for (const row of rows) {
        expect(width(row), row).toBeLessThan(columns);
        expect(row).toMatch(/^[a-z]+ +[0-9a-f]{8} 2026-01-0\d/);
        expect(/ +[\d.]+[BK] /.test(row)).toBe(columns >= 60);
      }
    }
  });

  it('says where it looked if there is none, and refuses what is neither a file nor an agent', async () => {
    const none = await run(['ls'], { env: { HOME: join(home, 'nobody') } });
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toBe(
      "sessionctl: no session found in the folders that 'sessionctl formats' lists; pass a file, or a folder with session logs\n",
    );
    const empty = scratchFolder();
    for (const argv of [['ls'], ['stats'], ['grep', 'x']]) {
      const nothing = await run([...argv, empty], { env });
      expect([nothing.code, nothing.stderr]).toEqual([
        1,
        `sessionctl: no session found in ${empty}; pass a file, or a folder with session logs\n`,
      ]);
    }
    expect((await run(['ls', 'opencode', '--root', empty], { env })).stderr).toContain(
      `no session found in ${join(home, '.local/share/opencode')}, ${empty}; pass `,
    );
    for (const argv of [
      ['--cwd', empty],
      ['--until', '2001-01-01'],
    ])
      expect(await run(['ls', ...argv], { env })).toMatchObject({
        ...{ code: 1, stdout: '' },
        stderr: expect.stringContaining('no session within --since, --until and --cwd; leave them out to list all\n'),
      });
    expect(await run(['ls', 'clod'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('agents are pi, omp'),
    });
    expect(await run(['ls', '--since', 'yesterday'], { env })).toMatchObject({ code: 2 });
  });

  it.skipIf(process.getuid?.() === 0)('goes on where a folder cannot be read, and says so', async () => {
    const closed = join(home, '.codex/sessions/closed');
    mkdirSync(closed);
    chmodSync(closed, 0);
    const ran = await run(['ls', 'codex'], { env });
    chmodSync(closed, 0o700);
    expect(ran.code).toBe(2);
    expect(ran.stdout).toContain('plain.jsonl');
  });

  it('finds what is in a log of any length without reading it', async () => {
    const path = join(home, 'long/long.jsonl');
    mkdirSync(dirname(path), { recursive: true });
    const text = 'x'.repeat(2_000_000);
    const entry = { type: 'message', id: 'a', parentId: null, timestamp: '2026-01-01T00:00:00.000Z' };
    const lines = [
      { type: 'session', version: 3, id: 's1', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' },
      { ...entry, message: { role: 'user', content: 'first words', timestamp: 1 } },
      ...Array.from({ length: 20 }, (_, at) => ({
        ...{ ...entry, id: `b${at}`, parentId: 'a' },
        message: { role: 'user', content: text, timestamp: 1 },
      })),
      { ...entry, type: 'session_info', id: 'z', parentId: 'a', name: 'named last' },
    ];
    writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    expect(await list(path)).toMatchObject([{ id: 's1', cwd: '/w', title: 'named last' }]);
  });

  it('finds a title between the lines of the start and the end, and a prompt behind many records', async () => {
    const folder = join(home, 'titles');
    mkdirSync(folder);
    const filler = 'x'.repeat(3000);
    const time = '2026-01-01T00:00:00.000Z';
    const pi = { timestamp: time, parentId: null };
    const said = (id: string, content: string) => ({ ...pi, type: 'message', id, message: { role: 'user', content } });
    const claude = { sessionId: 'c', cwd: '/w', timestamp: time, isSidechain: false, parentUuid: null };
    const asked = (uuid: string, content: string) => ({
      ...claude,
      type: 'user',
      uuid,
      message: { role: 'user', content },
    });
    const codex = (type: string, payload: object) => ({ timestamp: time, type, payload });
    const meta = { id: 'x', cwd: '/w', timestamp: time, originator: 'o', cli_version: '0.166.0' };
    const text = (words: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] });
    const many = <Line>(line: (at: number) => Line): Line[] => Array.from({ length: 3 }, (_, at) => line(at));
    const starts: Record<string, readonly object[]> = {
      pi: [
        { type: 'session', version: 3, id: 'p', timestamp: time, cwd: '/w' },
        ...[said('a', 'asked'), ...many((at) => said(`f${at}`, filler))],
        { ...pi, type: 'session_info', id: 'n', name: 'the title' },
      ],
      claude: [
        ...[asked('a', 'asked'), ...many((at) => asked(`f${at}`, filler))],
        { type: 'ai-title', sessionId: 'c', aiTitle: 'the title' },
      ],
      codex: [
        codex('session_meta', meta),
        ...[codex('response_item', text('asked')), ...many(() => codex('response_item', text(filler)))],
        codex('event_msg', { type: 'thread_name_updated', thread_id: 'x', thread_name: 'the title' }),
      ],
      late: [
        ...many((at) => ({
          type: 'queue-operation',
          operation: 'remove',
          timestamp: time,
          sessionId: `c${at}${filler}`,
        })),
        asked('a', 'the title'),
      ],
    };
    for (const [name, lines] of Object.entries(starts)) {
      // As it is, and with 200 KB between the start and the end.
      const rest = Array.from({ length: 60 }, (_, at) => [...lines.slice(0, -1)].at(-(1 + (at % 2))) as object);
      for (const [kind, all] of Object.entries({ short: lines, long: [...lines, ...rest] }))
        writeFileSync(join(folder, `${name}-${kind}.jsonl`), `${all.map((line) => JSON.stringify(line)).join('\n')}\n`);
    }
    const rows = await list(folder);
    expect(rows.map(({ path, title, cwd }) => `${basename(path)} ${title} ${cwd}`).sort()).toEqual(
      Object.keys(starts)
        .sort()
        .flatMap((name) => [`${name}-long.jsonl the title /w`, `${name}-short.jsonl the title /w`]),
    );
  });
});

describe('the tables of many sessions', () => {
  const session = join(fixtures, 'sessions/pi-branches.jsonl');
  const escapes = /\u001b\[\d+m/g;

  it.each([['ls'], ['stats', '--by', 'model']])(
    'are colored in a pipe where that is asked for: %s',
    async (...argv) => {
      const plain = await run([...argv, session], { env });
      const colored = await run([...argv, '--color', 'always', session], { env });
      expect(plain.stdout).not.toMatch(escapes);
      expect(colored.stdout).toMatch(escapes);
      expect(colored.stdout.replace(escapes, '')).toBe(plain.stdout);
    },
  );

  it('stay without color as CSV and JSON, which are for programs', async () => {
    for (const argv of [
      ['ls', '--json'],
      ['stats', '--csv'],
      ['stats', '--json'],
    ])
      expect((await run([...argv, '--color', 'always', session], { env })).stdout).not.toMatch(escapes);
  });
});

describe('an address', () => {
  it('names a session by its agent and the start of its id, or the newest', async () => {
    const [newest, older] = await list('claude');
    const log = async (word: string) => (await run(['log', '--role', 'user', word], { env })).stdout;
    expect(await log('claude:last')).toBe(await log(newest?.path ?? ''));
    expect(await log(`claude:${older?.id}`)).toBe(await log(older?.path ?? ''));
    expect(await log(`claude-code:${older?.id}`)).toBe(await log(older?.path ?? ''));
    expect(await run(['validate', 'pi:last'], { env })).toMatchObject({ code: 0 });
    const diff = await run(['diff', 'claude:last', `claude:${older?.id}`], { env });
    expect(diff.code).toBe(1);
  });

  it('that may be several, or none, is refused with what is there', async () => {
    const several = await run(['log', 'claude:0'], { env });
    expect(several).toMatchObject({ code: 2, stdout: '' });
    expect(several.stderr).toContain("'claude:0' may be 2 sessions: 00000000-");
    const none = await run(['log', 'claude:zzz'], { env });
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toMatch(
      /no session 'claude:zzz'; looked in .*\.claude\/projects.*among 3 files; 'sessionctl ls claude' lists them/,
    );
  });

  it('is no address where a file has that name, or no agent has', async () => {
    const folder = scratchFolder();
    copyFileSync(join(fixtures, 'sessions/pi-branches.jsonl'), join(folder, 'pi:last'));
    const ran = await run(['log', join(folder, 'pi:last')], { env });
    expect(ran.stdout).toContain('Weeks start a day early');
    expect((await run(['log', 'nobody:last'], { env })).stderr).toContain('nobody:last');
  });

  it('names one session of a database, which FILE#ID does too', async () => {
    const path = join(home, '.local/share/opencode/opencode.db');
    mkdirSync(dirname(path), { recursive: true });
    opencodeDatabase(path, { ses_a: { text: 'said a' }, ses_b: { text: 'said b' } });
    expect((await list('opencode')).map(({ id, title }) => [id, title])).toEqual([
      ['ses_b', 'title ses_b'],
      ['ses_a', 'title ses_a'],
    ]);
    expect((await run(['log', 'opencode:last'], { env })).stdout).toContain('said b');
    expect((await run(['log', 'opencode:ses_a'], { env })).stdout).toContain('said a');
    const named = await run(['log', `${path}#ses_a`], { env });
    expect(named).toMatchObject({ code: 0, stderr: '' });
    for (const [word, id] of Object.entries({
      'opencode:last': 'ses_b',
      'opencode:ses_a': 'ses_a',
      [`${path}#ses_a`]: 'ses_a',
    }))
      expect(await list(word)).toMatchObject([{ agent: 'opencode', id, title: `title ${id}`, cwd: `/w/${id}`, path }]);
    expect((await list('opencode', '--cwd', '/w/ses_a')).map(({ id }) => id)).toEqual(['ses_a']);
    expect(await run(['validate', 'opencode:ses_a'], { env })).toMatchObject({ code: 0 });
    const converted = await run(['convert', 'opencode:ses_a'], { env });
    expect(converted).toMatchObject({ code: 0, stdout: expect.stringContaining('said a') });
    expect(converted.stderr).not.toMatch(/of which this is the newest|other session not written/);
    expect((await run(['diff', 'opencode:ses_a', `${path}#ses_b`], { env })).stdout).toContain('said [-a-]{+b+}');
    const out = scratchFolder();
    expect(await run(['convert', '-o', `${out}/`, 'opencode:ses_a', 'pi:last'], { env })).toMatchObject({ code: 0 });
    expect(readdirSync(out)).toHaveLength(2);
    expect(await run(['export', '-o', `${out}/site/`, 'opencode:ses_a'], { env })).toMatchObject({ code: 0 });
    expect(readdirSync(`${out}/site`)).toEqual(['index.html', 'opencode-ses_a.html']);
    for (const command of ['migrate', 'repair', 'append', 'inline', 'externalize']) {
      const refused = await run([command, 'opencode:ses_a'], { env });
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(
        `'opencode:ses_a' is one session of the database ${path}; this command takes whole`,
      );
    }
    const none = await run(['ls', `${path}#nobody`], { env });
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain("has no session 'nobody'; it has ses_b (title ses_b), ses_a (title ses_a)");
  });
});
