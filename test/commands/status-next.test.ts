import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Status } from '../../src/status/types.ts';
import { makeDatabase } from '../support/database.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const fixture = (path: string): string => join(projectRoot, 'fixtures', path);
const IN_PROJECT = 'cd /home/ada/project && ';

/** What comes last, and the same in JSON. */
async function next(...words: readonly string[]): Promise<{ line: string; json: Status['next'] }> {
  const [text, json] = [await run(['status', ...words]), await run(['status', '--json', ...words])];
  expect([text.code, json.code, text.stdout.split(':', 1)[0]]).toEqual([0, 0, 'ready']);
  const line = /\n {2}next: (.*)\n$/.exec(text.stdout)?.[1] ?? text.stdout;
  return { line, json: (JSON.parse(json.stdout) as Status).next };
}

function nativeLog(name: string, header: object, ...entries: readonly object[]): string {
  const file = join(mkdtempSync(join(scratch, 'log-')), name);
  const start = { type: 'session', version: 3, id: 's1', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/home/ann' };
  const user = { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'Hi' } };
  const lines = [{ ...start, ...header }, user, ...entries].map((one) => ({ timestamp: start.timestamp, ...one }));
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

describe('status of a session that is ready ends with the command that resumes it', () => {
  it.each([
    ['formats/claude-code/2.1.325/plain.jsonl', `${IN_PROJECT}claude --resume 00000000-0000-4000-8000-000000000001`],
    ['formats/codex/0.166.0/plain.jsonl', 'codex resume 01a1e5df-5994-7882-b73e-4cf654b42518'],
    ['formats/gemini/0.61.0/plain.jsonl', 'gemini --resume 00000000-0000-4000-8000-000000000001'],
    ['formats/gemini/hand/rewind.jsonl', `${IN_PROJECT}gemini --resume 0a1b2c3d-0000-4000-8000-000000000001`],
    ['foreign/opencode.json', `${IN_PROJECT}opencode --session ses_e1a1a67caffeC8SaRGfIWsfxVC`],
    ['formats/goose/compacted.json', 'goose session --resume --session-id 20260302_2'],
  ])('of %s: %s', async (path, line) => {
    const made = await next(fixture(path));
    expect(made.line).toBe(line);
    const [cd, words = cd] = line.split(' && ');
    const cwd = words === cd ? {} : { cwd: '/home/ada/project' };
    expect(made.json).toEqual({ command: 'resume', argv: words?.split(' '), ...cwd });
  });

  it('of pi and omp, which open the file', async () => {
    const pi = nativeLog('a b.jsonl', {});
    expect(await next(pi)).toEqual({
      line: `pi --session '${pi}'`,
      json: { command: 'resume', argv: ['pi', '--session', pi] },
    });
    const omp = nativeLog('session.jsonl', { title: 'T' });
    expect((await next(omp)).line).toBe(`omp --resume ${omp}`);
    expect((await next(fixture('status/version-1.jsonl'))).line).toBe(
      `pi --session ${fixture('status/version-1.jsonl')}`,
    );
  });

  it('of a database of OpenClaw, and of the session in it that was asked for', async () => {
    const path = join(scratch, 'openclaw-agent.sqlite');
    const rows = ['aaaa1111', 'bbbb2222'].flatMap((id) => [
      [id, 0, JSON.stringify({ type: 'session', version: 3, id, timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' }), 1],
    ]);
    const columns = 'session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL';
    makeDatabase(path, { transcript_events: { columns, rows } });
    const command = 'openclaw agent --session-id aaaa1111 --message continue';
    expect((await next(path, '--session', 'aaaa')).line).toBe(command);
    expect((await next(`${path}#aaaa1111`)).line).toBe(command);
  });

  it('or writes it for pi, where no agent resumes it', async () => {
    const folder = join(scratch, 'to-convert');
    mkdirSync(folder);
    const file = join(folder, 'history.md');
    copyFileSync(fixture('formats/aider/runs.md'), file);
    const made = await next(file, '--session', '2026-03-02');
    expect(made).toEqual({
      line: `sessionctl convert --from aider '${file}#2026-03-02' -o new.jsonl`,
      json: { command: 'convert' },
    });
    const target = join(folder, 'new.jsonl');
    expect(await run(['convert', '--from', 'aider', `${file}#2026-03-02`, '-o', target])).toMatchObject({ code: 0 });
    expect((await next(target)).line).toBe(`pi --session ${target}`);
  });

  it.each([
    [
      'claude',
      'claude-code/2.1.100/subagent.files/subagents/agent-a8284a73f510e94d0',
      '00000000-0000-4000-8000-000000000014',
    ],
    ['codex', 'codex/0.166.0/subagent-2', '01a1e5e8-d313-7a23-b2a4-ad4c11c879e2'],
    [
      'gemini',
      'gemini/hand/0a1b2c3d-0000-4000-8000-000000000009/5e6f7a8b-0000-4000-8000-000000000001',
      '0a1b2c3d-0000-4000-8000-000000000009',
    ],
  ])('or judges the parent of a subagent, which %s does not resume by itself', async (agent, path, parent) => {
    const file = fixture(`formats/${path}.jsonl`);
    expect(await next(file)).toEqual({ line: `sessionctl status ${agent}:${parent}`, json: { command: 'status' } });
    const { stdout } = await run(['status', file]);
    expect(stdout).toMatch(/^ready: nothing is open \(/);
    expect(stdout).toContain(`\n  subagent of: ${parent}, which is the session to resume\n`);
    expect(JSON.parse((await run(['status', '--json', file])).stdout)).toMatchObject({ subagentOf: parent });
  });

  it('finds that parent among the sessions of the agent', async () => {
    const home = join(scratch, 'home');
    const project = join(home, '.claude/projects/p');
    const folder = fixture('formats/claude-code/2.1.325');
    const id = '00000000-0000-4000-8000-000000000014';
    cpSync(join(folder, 'subagent.jsonl'), join(project, `${id}.jsonl`));
    cpSync(join(folder, 'subagent.files'), join(project, id), { recursive: true });
    const ran = await run(['status', `claude:${id}`], { env: { HOME: home } });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain(`claude --resume ${id}\n`);
  });

  it('names no parent whose id could be an option', async () => {
    const file = join(scratch, 'agent-x.jsonl');
    const record = {
      ...{ type: 'user', uuid: 'a', parentUuid: null, isSidechain: true, agentId: 'x', sessionId: '--help' },
      ...{ timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: 'Hi' } },
    };
    writeFileSync(file, `${JSON.stringify(record)}\n`);
    expect((await next(file)).line).toBe(`sessionctl convert --from claude-code ${file} -o new.jsonl`);
  });

  it('or forks it, where another entry than the last is asked for', async () => {
    const reply = { role: 'assistant', content: [], stopReason: 'stop' };
    const file = nativeLog('log.jsonl', {}, { type: 'message', id: 'b', parentId: 'a', message: reply });
    expect((await next(file, '--leaf', 'a')).line).toBe(`sessionctl fork ${file} a -o new.jsonl`);
    expect((await next(file, '--leaf', '@')).line).toBe(`pi --session ${file}`);
  });

  it('by its id, where the log comes from a pipe', async () => {
    const of = async (header: object): Promise<string | undefined> => {
      const start = { type: 'session', version: 3, timestamp: '2026-01-01T00:00:00.000Z', cwd: "/it's", ...header };
      return (await run(['status'], { stdin: `${JSON.stringify(start)}\n` })).stdout.split('\n').at(-2);
    };
    expect(await of({ id: 's1' })).toBe("  next: cd '/it'\\''s' && pi --session s1");
    expect(await of({ id: 's1', cwd: '-x' })).toBe('  next: pi --session s1');
    expect(await of({ id: '--no-session' })).toBe('  next: sessionctl log -n 5 FILE');
  });

  it.skipIf(process.platform === 'win32')(
    'by its id, where the log comes from a named pipe, which is read once',
    async () => {
      const pipe = join(scratch, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const shown = async (path: string): Promise<string> => {
        const writer = spawn('sh', ['-c', 'exec cat "$1" > "$2"', 'sh', fixture(path), pipe]);
        const ran = await run(['status', pipe]);
        writer.kill();
        return ran.stdout;
      };
      const claude = 'formats/claude-code/2.1.325/plain.jsonl';
      expect(await shown(claude)).toBe((await run(['status', fixture(claude)])).stdout);
      expect(await shown('sessions/pi-branches.jsonl')).toMatch(
        /\n {2}next: cd \/home\/ada\/calendar && pi --session 57a3af4e-[-0-9a-f]+\n$/,
      );
      expect(await shown('status/interrupted-turn.jsonl')).toMatch(/\n {2}next: sessionctl log -n 5 FILE\n$/);
    },
  );

  it('never takes what a log says for an option or for more than one word', async () => {
    const record = (sessionId: string, cwd: string): string =>
      `${JSON.stringify({
        ...{ type: 'user', uuid: 'a', parentUuid: null, isSidechain: false, timestamp: '2026-01-01T00:00:00.000Z' },
        ...{ sessionId, cwd, version: '2.1.0', message: { role: 'user', content: 'Hi' } },
      })}\n`;
    const file = join(scratch, 'hostile.jsonl');
    writeFileSync(file, record('--dangerously-skip-permissions', '/'));
    expect((await next(file)).line).toBe(`sessionctl convert --from claude-code ${file} -o new.jsonl`);
    writeFileSync(file, record('0a', '/a;rm -rf $(b)'));
    expect((await next(file)).line).toBe("cd '/a;rm -rf $(b)' && claude --resume 0a");
    writeFileSync(file, record('0a', '/a\nb'));
    expect((await next(file)).line).toBe('claude --resume 0a');
  });
});
