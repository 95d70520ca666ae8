import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { opencodeDatabase } from '../support/opencode.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const home = scratchFolder();
const env = { HOME: home };
const fixtures = join(projectRoot, 'fixtures');

const FILES = {
  '.claude/projects/p/tools.jsonl': 'formats/claude-code/2.1.325/tools.jsonl',
  '.claude/projects/p/fork.jsonl': 'formats/claude-code/2.1.325/fork.jsonl',
  '.codex/sessions/2026/plain.jsonl': 'formats/codex/0.98.0/tools.jsonl',
  '.gemini/tmp/x/chats/session-1.jsonl': 'formats/gemini/0.61.0/tools.jsonl',
  '.pi/agent/sessions/branches.jsonl': 'sessions/pi-branches.jsonl',
} as const;

beforeAll(() => {
  for (const [path, from] of Object.entries(FILES)) {
    mkdirSync(join(home, dirname(path)), { recursive: true });
    copyFileSync(join(fixtures, from), join(home, path));
  }
  writeFileSync(join(home, '.claude/projects/p/notes.jsonl'), '{"a":1}\n{"b":2}\n');
  symlinkSync('..', join(home, '.codex/sessions/2026/up'));
});

type Row = Readonly<Record<string, number | string | null>>;

async function rows(...args: readonly string[]): Promise<Row[]> {
  const zone = args.includes('--tz') ? [] : ['--tz', 'UTC'];
  const { stdout } = await run(['stats', '--json', ...zone, ...args], { env });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** An answer of Claude Code as it writes them. */
const answer = (
  session: string,
  message: string,
  request: string | undefined,
  output: number,
  more: object = {},
): string =>
  `${JSON.stringify({
    ...{ type: 'assistant', uuid: `${session}-${message}-${output}`, parentUuid: null, isSidechain: false },
    ...{ sessionId: session, cwd: '/home/ada/app', timestamp: '2026-11-01T10:00:00.000Z', requestId: request },
    message: {
      ...{ id: message, role: 'assistant', model: 'claude-opus-5-5', content: [{ type: 'text', text: 'x' }] },
      usage: { input_tokens: 3, output_tokens: output, cache_read_input_tokens: 5, cache_creation_input_tokens: 7 },
    },
    ...more,
  })}\n`;

/** A folder of logs, by their names. */
function folderOf(logs: Readonly<Record<string, string>>): string {
  const folder = scratchFolder();
  for (const [name, text] of Object.entries(logs)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('stats', () => {
  it('counts the sessions of all agents, each in its folder', async () => {
    const found = await rows('--by', 'agent');
    expect(found.map(({ agent, sessions, turns, toolCalls }) => [agent, sessions, turns, toolCalls])).toEqual([
      ['pi', 1, 3, 5],
      ['claude', 2, 3, 7],
      ['codex', 1, 1, 7],
      ['gemini', 1, 1, 7],
    ]);
    const { stderr } = await run(['stats'], { env });
    expect(stderr).toContain('sessionctl: 1 file not counted, such as ');
    expect(stderr).toMatch(
      /^sessionctl: 5 files and \d+ records read, 1 duplicate dropped, 0 replayed records skipped/,
    );
  });

  it('takes files, folders, agents and addresses', async () => {
    const path = join(home, '.claude/projects/p/tools.jsonl');
    const [byFile] = await rows('--by', 'session', path);
    expect(byFile).toMatchObject({ inputTokens: 515, outputTokens: 210, costMicros: null, unpricedTokens: 875 });
    expect(await rows('--by', 'session', `claude:${byFile?.['session']}`)).toEqual([byFile]);
    expect(await rows('--by', 'session', dirname(path))).toEqual(await rows('--by', 'session', 'claude'));
    expect(await rows('--by', 'agent', 'codex', '--root', dirname(path))).toHaveLength(2);
    const { code, stderr } = await run(['stats', 'nobody'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining("'nobody' is neither a file nor an agent")]);
  });

  it('counts all sessions of a database, and what a fork in it has copied once', async () => {
    const path = join(scratchFolder(), 'opencode.db');
    opencodeDatabase(path, {
      ses_a: { text: 'one' },
      ses_b: { text: 'two' },
      ses_c: { text: 'two' },
      ses_d: { text: 'three', parent: 'ses_a' },
      ses_e: { text: 'four', parent: 'gone' },
    });
    const sessions = async (...operands: readonly string[]) =>
      (await rows('--by', 'session', ...operands)).map(({ session, turns }) => [session, turns]);
    expect(await sessions(path)).toEqual(['ses_a', 'ses_b', 'ses_d', 'ses_e'].map((id) => [id, 1]));
    expect(await sessions(`${path}#ses_c`, `${path}#ses_d`)).toEqual(['ses_c', 'ses_d'].map((id) => [id, 1]));
    expect(await run(['stats', `${path}#nobody`], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has no session 'nobody'; it has ses_e"),
    });
  });

  it('says where it looked if there is nothing', async () => {
    const { code, stdout, stderr } = await run(['stats', '--json'], { env: { HOME: '/nowhere' } });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain("no session found in the folders that 'sessionctl formats' lists");
  });

  it('says that nothing was done, instead of a table of zeros', async () => {
    const header = '{"type":"session","version":3,"id":"s","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/w"}\n';
    const folder = folderOf({ 'empty.jsonl': '', 'header.jsonl': header });
    const shown = async (...argv: readonly string[]) => await run(['stats', ...argv], { env, stdoutIsTerminal: true });
    for (const [where, note] of [
      [[folder], 'no prompt and no answer in 2 files'],
      [[join(folder, 'empty.jsonl')], 'no prompt and no answer in 1 file'],
      [[home, '--until', '2001-01-01'], 'nothing was done within --since and --until; leave them out to count all'],
      [[scratchFolder()], 'no session found in '],
    ] as const) {
      const { code, stdout, stderr } = await shown(...where);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.trimEnd().split('\n').at(-1)).toContain(`sessionctl: ${note}`);
    }
    expect((await run(['stats', folder])).stdout).toMatch(/^day\tsessions\t[^\n]*\n$/);
  });
});

/** ccusage took the first record of an answer, told answers apart by session, and counted what forks have copied. */
describe('what others have counted wrongly', () => {
  it('an answer that is written in parts: the last one has all of its tokens', async () => {
    const folder = folderOf({
      'a.jsonl': answer('s1', 'm1', 'r1', 1) + answer('s1', 'm1', 'r1', 1) + answer('s1', 'm1', 'r1', 400),
    });
    expect(await rows('--by', 'day', folder)).toMatchObject([
      { day: '2026-11-01', inputTokens: 3, outputTokens: 400, cacheReadTokens: 5 },
    ]);
  });

  it('messages that are copied into the log of another session', async () => {
    const log = answer('s1', 'm1', 'r1', 400) + answer('s1', 'm2', 'r2', 50);
    const fork = answer('s2', 'm1', 'r1', 400) + answer('s2', 'm2', 'r2', 50) + answer('s2', 'm3', 'r3', 7);
    const folder = folderOf({ 'a.jsonl': log, 'b.jsonl': fork });
    expect(await rows('--by', 'session', folder)).toMatchObject([
      { session: 's1', outputTokens: 450 },
      { session: 's2', outputTokens: 7 },
    ]);
    const [session] = await rows('--by', 'session', join(folder, 'b.jsonl'));
    expect(session).toMatchObject({ session: 's2', outputTokens: 457 });
  });

  it('gateways that name no request', async () => {
    const folder = folderOf({
      'a.jsonl': answer('s1', 'm1', undefined, 20) + answer('s1', 'm1', undefined, 30),
      'b.jsonl': answer('s2', 'm1', undefined, 30),
    });
    expect(await rows('--by', 'agent', folder)).toMatchObject([{ sessions: 1, outputTokens: 30 }]);
  });

  it('the session that started first owns a copy, and its cost is counted once', async () => {
    const early = { timestamp: '2026-10-31T10:00:00.000Z', costUSD: 0.125 };
    const folder = folderOf({
      'a.jsonl': answer('s2', 'm1', 'r1', 30),
      'b.jsonl': answer('s1', 'm0', 'r0', 1, early) + answer('s1', 'm1', 'r1', 30, { costUSD: 0.5 }),
    });
    expect(await rows('--by', 'session', folder)).toMatchObject([
      { session: 's1', outputTokens: 31, costMicros: 625_000, unpricedTokens: 0 },
    ]);
  });
});

describe('money', () => {
  const unknown = { message: { ...JSON.parse(answer('s', 'm', 'r', 1)).message, id: 'm3', model: 'claude-nothing' } };
  const folder = folderOf({
    'a.jsonl':
      answer('s1', 'm1', 'r1', 1000) +
      answer('s1', 'm2', 'r2', 10, { costUSD: 0.000_003 }) +
      answer('s1', 'm3', 'r3', 5, unknown),
  });

  it('is what was recorded, and with --prices what the rest would cost; what has no price is told apart', async () => {
    expect(await rows('--by', 'model', folder)).toMatchObject([
      { model: 'claude-opus-5-5', costMicros: 3, unpricedTokens: 1015, totalTokens: 1040 },
      { model: 'claude-nothing', costMicros: null, unpricedTokens: 16 },
    ]);
    const [priced, unpriced] = await rows('--by', 'model', '--prices', folder);
    expect(priced).toMatchObject({ unpricedTokens: 0 });
    expect(priced?.['costMicros']).toBeGreaterThan(10_000);
    expect(unpriced).toMatchObject({ costMicros: null, unpricedTokens: 16 });
    const { stdout, stderr } = await run(['stats', '--by', 'model', folder], {
      ...{ env, stdoutIsTerminal: true, columns: 100 },
    });
    expect(stderr).toContain('1,031 tokens unpriced (--prices computes what they cost), ');
    expect((await run(['stats', '--prices', folder], { env })).stderr).toContain('16 tokens unpriced, ');
    expect(stdout).toMatch(/claude-opus-5-5 .*\$0\.0000\+/);
    expect(stdout).toMatch(/claude-nothing .* -\S*$/m);
  });
});

describe('the rows of stats', () => {
  const folder = folderOf({
    'a.jsonl': [
      answer('s1', 'm1', 'r1', 10, { timestamp: '2026-10-31T23:30:00.000Z' }),
      answer('s1', 'm2', 'r2', 20, { timestamp: '2026-11-01T12:00:00.000Z' }),
      answer('s1', 'm3', 'r3', 30, { timestamp: '2026-11-09T12:00:00.000Z' }),
    ].join(''),
  });

  it.each([
    ['day', 'UTC', ['2026-10-31', '2026-11-01', '2026-11-09']],
    ['day', 'Europe/Berlin', ['2026-11-01', '2026-11-09']],
    ['week', 'UTC', ['2026-W44', '2026-W46']],
    ['month', 'UTC', ['2026-10', '2026-11']],
    ['project', 'UTC', ['/home/ada/app']],
    ['model', 'UTC', ['claude-opus-5-5']],
    ['tool', 'UTC', ['none']],
  ])('are one for each %s in %s', async (by, zone, names) => {
    const found = await rows('--by', by, folder, '--tz', zone);
    expect(found.map((row) => row[by])).toEqual(names);
    expect(found.reduce((sum, { outputTokens }) => sum + Number(outputTokens), 0)).toBe(60);
  });

  it('end where the user says', async () => {
    const output = async (...args: readonly string[]): Promise<number> =>
      (await rows(folder, '--by', 'agent', ...args)).reduce((sum, { outputTokens }) => sum + Number(outputTokens), 0);
    expect(await output('--since', '2026-11-01')).toBe(50);
    expect(await output('--since', '2026-11-01', '--until', '2026-11-01')).toBe(20);
    expect(await output('--until', '2026-10-31')).toBe(10);
    expect(await output('--tz', 'Europe/Berlin', '--since', '2026-11-01', '--until', '2026-11-01')).toBe(30);
    const { stderr, code } = await run(['stats', '--tz', 'Mars'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining("option '--tz' takes a time zone")]);
  });

  it('leave out files that did not change since then', async () => {
    const old = folderOf({ 'a.jsonl': answer('s1', 'm1', 'r1', 10) });
    utimesSync(join(old, 'a.jsonl'), 1, 1);
    const { stderr, code } = await run(['stats', old, '--since', '2026-11-01'], { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('1 file not read that did not change since then')]);
  });

  it('share the tokens of an answer among its calls', async () => {
    const path = join(home, '.claude/projects/p/tools.jsonl');
    const found = await rows('--by', 'tool', path);
    expect(found.reduce((sum, { totalTokens }) => sum + Number(totalTokens), 0)).toBe(875);
    expect(found.reduce((sum, { errors }) => sum + Number(errors), 0)).toBe(4);
    expect(found.map(({ tool }) => tool)).toContain('Bash');
  });

  it('are separated by tabs in a pipe, and by commas for --csv', async () => {
    const names =
      'sessions turns toolCalls errors inputTokens outputTokens cacheReadTokens cacheWriteTokens reasoningTokens totalTokens unpricedTokens costMicros';
    const cells = ['1', '0', '0', '0', '9', '60', '15', '21', '0', '105', '105', ''];
    const tabs = await run(['stats', '--by', 'project', folder], { env });
    expect(tabs.stdout).toBe(
      `${['project', ...names.split(' ')].join('\t')}\n${['/home/ada/app', ...cells].join('\t')}\n`,
    );
    const commas = await run(['stats', '--by', 'project', '--csv', folder], { env });
    expect(commas.stdout).toBe(
      `${['project', ...names.split(' ')].join(',')}\n${['/home/ada/app', ...cells].join(',')}\n`,
    );
  });

  it('have a bar on a terminal, and are cut to its width', async () => {
    for (const columns of [60, 80, 120, 200]) {
      const { stdout } = await run(['stats', '--tz', 'UTC', folder, '--color', 'never'], {
        env,
        stdoutIsTerminal: true,
        columns,
      });
      const lines = stdout.trimEnd().split('\n');
      expect(lines.map((line) => line.split(' ')[0])).toEqual([
        'day',
        '2026-10-31',
        '2026-11-01',
        '2026-11-09',
        'total',
      ]);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
      expect(lines[3]).toMatch(/█{5}$/);
    }
    const { stdout } = await run(['stats', '--tz', 'UTC', folder, '--color', 'always'], {
      env,
      stdoutIsTerminal: true,
    });
    expect(stdout).toContain('\u001b[');
  });

  it('show a cost in green, and one that is not known dim', async () => {
    const shown = async (path: string): Promise<string> =>
      (await run(['stats', path, '--color', 'always'], { env, stdoutIsTerminal: true })).stdout;
    expect(await shown(join(fixtures, 'sessions/pi-branches.jsonl'))).toContain('\u001b[32m$0.10\u001b[39m');
    const unknown = await shown(folderOf({ 'a.jsonl': answer('s1', 'm1', 'r1', 10) }));
    expect(unknown).toMatch(/\u001b\[2m +-\u001b\[22m/);
    expect(unknown).not.toContain('\u001b[32m');
  });
});

describe('stats of a named pipe', () => {
  it.skipIf(process.platform === 'win32')('reads it once, whatever log comes', async () => {
    const pipe = join(scratchFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of ['formats/codex/0.166.0/plain.jsonl', FILES['.claude/projects/p/tools.jsonl']]) {
      const file = join(fixtures, path);
      const writer = spawn('sh', ['-c', 'exec cat "$1" > "$2"', 'sh', file, pipe]);
      const read = await run(['stats', '--json', pipe], { env });
      writer.kill();
      expect(read).toMatchObject({ code: 0, stdout: (await run(['stats', '--json', file], { env })).stdout });
    }
  });
});

describe('stats of damaged and changing files', () => {
  const good = answer('s1', 'm1', 'r1', 10);

  it('names them at the end, counts the rest, and exits with 1', async () => {
    const folder = folderOf({
      'good.jsonl': good,
      'torn.jsonl': answer('s2', 'm2', 'r2', 20) + good.slice(0, 90),
      'zeros.jsonl': `${answer('s3', 'm3', 'r3', 30)}\0\0\0\n${answer('s3', 'm4', 'r4', 40)}`,
    });
    const { code, stdout, stderr } = await run(['stats', '--json', '--by', 'agent', folder], { env });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ sessions: 3, outputTokens: 100 });
    expect(stderr).toContain('2 damaged lines left out');
    expect(stderr).toContain(`damaged: ${join(folder, 'torn.jsonl')}\n`);
    expect(stderr).toContain(`damaged: ${join(folder, 'zeros.jsonl')}\n`);
  });

  it('leaves out the header behind a byte order mark, as every reader of a native log does', async () => {
    const native = readFileSync(join(projectRoot, 'fixtures/rules/byte-order-mark/bad.jsonl'));
    const file = join(folderOf({ 'marked.jsonl': native.toString() }), 'marked.jsonl');
    const { code, stderr } = await run(['stats', '--json', file], { env });
    expect(code).toBe(1);
    expect(stderr).toContain('1 damaged line left out');
    expect((await run(['log', file])).stderr).toContain('line 1 is damaged (byte-order-mark) and was left out');
  });

  it('goes on behind what it may not read, and says so', async (context) => {
    if (process.getuid?.() === 0) context.skip();
    const folder = folderOf({ 'good.jsonl': good, 'locked.jsonl': good, 'closed/a.jsonl': good });
    chmodSync(join(folder, 'locked.jsonl'), 0);
    const file = await run(['stats', '--json', '--by', 'agent', join(folder, 'locked.jsonl')], { env });
    expect(file.code).toBe(2);
    const one = await run(['stats', '--json', '--by', 'agent', folder], { env });
    expect([one.code, one.stderr]).toEqual([1, expect.stringMatching(/not counted: .*locked\.jsonl/)]);
    expect(JSON.parse(one.stdout)).toMatchObject({ sessions: 1, outputTokens: 10 });
    chmodSync(join(folder, 'closed'), 0);
    const { code, stdout, stderr } = await run(['stats', '--json', '--by', 'agent', folder], { env });
    chmodSync(join(folder, 'closed'), 0o700);
    expect([code, stderr]).toEqual([2, expect.stringContaining('closed')]);
    expect(JSON.parse(stdout)).toMatchObject({ sessions: 1, outputTokens: 10 });
  });

  it('counts the whole lines of a file that grows while it is read', async () => {
    const folder = folderOf({ 'grows.jsonl': good });
    let lines = 1;
    const grow = setInterval(() => appendFileSync(join(folder, 'grows.jsonl'), answer('s1', `g${lines++}`, 'r', 1)), 1);
    try {
      for (let last = 0, times = 0; times < 10; times++) {
        const { code, stdout } = await run(['stats', '--json', '--by', 'agent', folder], { env });
        const { outputTokens } = JSON.parse(stdout) as { outputTokens: number };
        expect([code, outputTokens >= last && outputTokens <= 9 + lines]).toEqual([0, true]);
        last = outputTokens;
      }
    } finally {
      clearInterval(grow);
    }
  });

  it('follows a link that leads back up once', async () => {
    const folder = folderOf({ 'a/good.jsonl': good });
    symlinkSync('..', join(folder, 'a/up'));
    symlinkSync('good.jsonl', join(folder, 'a/same.jsonl'));
    const { code, stdout } = await run(['stats', '--json', '--by', 'agent', folder], { env });
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ sessions: 1, outputTokens: 10 })]);
  });
});
