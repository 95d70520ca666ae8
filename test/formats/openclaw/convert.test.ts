import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSessions } from '../../../src/files/walk.ts';
import { openclaw } from '../../../src/formats/openclaw/index.ts';
import { makeDatabase, type Table } from '../../support/database.ts';
import { projectRoot, run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

const scratch = scratchFolder();
const path = join(scratch, 'openclaw-agent.sqlite');
const packed = readFileSync(join(projectRoot, 'fixtures/formats/openclaw/event.json.zst'));
const EVENT = 'session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL';
const START = Date.parse('2026-09-02T09:00:00.000Z');

const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

/** The lines of a session as OpenClaw writes them. */
function linesOf(id: string, ...texts: readonly string[]): string[] {
  const header = { type: 'session', version: 3, id, timestamp: at(0), cwd: '/home/ann/shop' };
  const entries = texts.map((text, n) => ({
    ...{ type: 'message', id: `${id}-${n}`, parentId: n === 0 ? null : `${id}-${n - 1}`, timestamp: at(n + 1) },
    message:
      n % 2 === 0
        ? { role: 'user', content: [{ type: 'text', text }], timestamp: START + n * 1000 + 1000 }
        : {
            ...{
              role: 'assistant',
              content: [{ type: 'text', text }],
              api: 'x',
              provider: 'anthropic',
              model: 'claude',
            },
            usage: {
              input: 1,
              output: 1,
              cacheRead: 0,
              cacheWrite: 0,
              totalTokens: 2,
              cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
            },
            ...{ stopReason: 'stop', timestamp: START + n * 1000 + 1000 },
          },
  }));
  return [header, ...entries].map((line) => JSON.stringify(line));
}

const first = linesOf('aaaa1111', 'What is new?', 'Nothing.');
const second = linesOf('bbbb2222', 'And now?', 'Now there is something.', 'Good.');
const helper = linesOf('cccc3333', 'Look it up', 'Done.');

const rows = (lines: readonly string[], id: string) => lines.map((line, seq) => [id, seq, line, START + seq]);
const windows: Table = {
  columns:
    'session_id TEXT PRIMARY KEY, session_key TEXT, updated_at INTEGER, display_name TEXT, parent_session_key TEXT, spawned_by TEXT',
  rows: [
    ['bbbb2222', 'agent:main:main', 300, 'Release notes', null, null],
    ['aaaa1111', 'agent:main:main', 200, null, null, null],
    ['cccc3333', 'agent:main:sub', 400, null, 'agent:main:main', 'agent:main:main'],
    ['dddd4444', 'agent:main:empty', 500, null, null, null],
  ],
};
const events: Table = {
  columns: EVENT,
  rows: [...rows(second, 'bbbb2222'), ...rows(first, 'aaaa1111'), ...rows(helper, 'cccc3333')],
};
const meta: Table = { columns: 'meta_key, app_version', rows: [['primary', '2026.9.6']] };

describe('an OpenClaw database', () => {
  it('gives the lines of the session that is wanted byte for byte, else those of the newest', async () => {
    makeDatabase(path, { schema_meta: meta, session_windows: windows, transcript_events: events });
    const newest = await run(['convert', path]);
    expect(newest.stdout).toBe(`${second.join('\n')}\n`);
    expect(newest.code).toBe(0);
    const { stderr } = await run(['log', path]);
    expect(stderr).toBe(
      `sessionctl: ${path}: has 3 sessions, of which this is the newest, bbbb2222; '--session ID' takes another: aaaa1111, cccc3333\n`,
    );
    expect((await run(['convert', '--session', 'aaaa', path])).stdout).toBe(`${first.join('\n')}\n`);
    const all = join(scratch, 'all/');
    expect((await run(['convert', '-o', all, path])).code).toBe(0);
    expect(readdirSync(all)).toHaveLength(3);
    expect((await run(['validate', all])).code).toBe(0);
    const bytes = readFileSync(path);
    expect((await run(['convert', '-'], { stdin: bytes })).stdout).toBe(newest.stdout);
  });

  it('names the rows of a session by their place, from 1, and entries by their ids', async () => {
    makeDatabase(path, { session_windows: windows, transcript_events: events });
    const context = await run(['context', '--leaf', 'line:3', path]);
    expect(context.stdout).toContain('Now there is something.');
    expect(context.stdout).not.toContain('Good.');
    expect((await run(['context', '--leaf', 'bbbb2222-1', path])).stdout).toBe(context.stdout);
  });

  it('is read without windows and headers, with rows that are packed, pretty, torn or lost', async () => {
    const [header = '', user = '', answer = ''] = second;
    const pretty = JSON.stringify(JSON.parse(user), undefined, 2);
    const odd: Table = {
      columns: `${EVENT}, event_zstd BLOB, event_utf8_bytes INTEGER`,
      rows: [
        ['bbbb2222', 0, header, 1, null, null],
        ['bbbb2222', 1, pretty, 2, null, null],
        ['bbbb2222', 2, answer.slice(0, 50), 3, null, null],
        ['bbbb2222', 3, null, 4, packed, 189],
        ['bbbb2222', 4, null, 5, packed.subarray(0, 60), 189],
      ],
    };
    makeDatabase(path, { transcript_events: odd });
    const { code, stdout, stderr } = await run(['convert', path]);
    expect(code).toBe(1);
    const texts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(texts.map(({ id }) => id)).toEqual(['bbbb2222', 'bbbb2222-0', 'packed-1']);
    expect(stderr).toContain('row 3 is damaged (torn-line) and was left out, and 1 other row: 5 (torn-line)');
    makeDatabase(path, { transcript_events: { columns: EVENT, rows: rows(second.slice(1), 'bbbb2222') } });
    const headless = await run(['convert', path]);
    expect(headless.stdout.split('\n')[0]).toBe(
      '{"type":"session","version":3,"id":"bbbb2222","timestamp":"1970-01-01T00:00:00.000Z","cwd":""}',
    );
    expect(headless.code).toBe(0);
    expect((await run(['context', '--leaf', 'line:1', path])).stdout).toContain('And now?');
  });

  it('has the sessions that were deleted or reset', async () => {
    const archives: Table = {
      columns:
        'session_id TEXT, generation TEXT, reason TEXT, encoding TEXT, archive_blob BLOB, archive_name TEXT, created_at INTEGER',
      rows: [
        [
          'eeee5555',
          'g1',
          'deleted',
          'identity',
          Buffer.from(`${linesOf('eeee5555', 'Forget this').join('\n')}\n`),
          'eeee5555.jsonl.deleted.2026-09-01T00-00-00.000Z',
          1,
        ],
        [
          'packed00',
          'g1',
          'reset',
          'zstd',
          readFileSync(join(projectRoot, 'fixtures/formats/openclaw/session.jsonl.zst')),
          'packed00.jsonl.reset.2026-09-01T00-00-00.000Z.zst',
          2,
        ],
      ],
    };
    makeDatabase(path, { session_windows: windows, transcript_events: events, session_transcript_archives: archives });
    expect((await run(['log', '--session', 'eeee5555', path])).stdout).toContain('Forget this');
    expect((await run(['log', '--session', 'packed00', path])).stdout).toContain('It was packed');
    expect((await run(['log', path])).stderr).toContain('has 5 sessions');
  });

  it('is read where an archive cannot be unpacked or has one line without an end, and over many rows', async () => {
    const archives: Table = {
      columns: 'session_id TEXT, archive_blob BLOB, archive_name TEXT, created_at INTEGER',
      rows: [
        ['eeee5555', Buffer.from(String(linesOf('eeee5555')[0])), 'eeee5555.jsonl.deleted', null],
        [null, packed.subarray(0, 60), 'ffff6666.jsonl.reset', 2],
      ],
    };
    const long = linesOf('aaaa1111', ...Array.from({ length: 3000 }, (_, n) => `text ${n}`));
    const many: Table = { columns: EVENT, rows: rows(long, 'aaaa1111') };
    makeDatabase(path, { transcript_events: many, session_transcript_archives: archives });
    expect((await run(['convert', path])).stdout).toBe(`${long.join('\n')}\n`);
    expect((await run(['convert', '--session', 'eeee', path])).stdout).toBe(`${linesOf('eeee5555')[0]}\n`);
    const lost = await run(['log', '--session', 'ffff', path]);
    expect(lost).toMatchObject({ code: 1, stdout: '' });
    const { stdout } = await run(['validate', path]);
    expect(stdout).toContain('session ffff6666.jsonl.reset, row 1: ');
  });

  it('is none where the user only says so, and is where the environment says', async () => {
    const other = join(scratch, 'other.txt');
    writeFileSync(other, 'words\n');
    expect((await run(['log', '--from', 'openclaw', other])).stderr).toContain('other.txt: is no database');
    expect(openclaw.locations?.({ OPENCLAW_STATE_DIR: '/o' })).toEqual(['/o/agents']);
    expect(openclaw.locations?.({ HOME: '/home/ann' })).toEqual(['/home/ann/.openclaw/agents']);
    expect(openclaw.locations?.({})).toEqual([]);
  });

  it('without any session, or with a view in the place of its table, gives one clear line', async () => {
    makeDatabase(path, { transcript_events: { columns: EVENT } });
    const empty = await run(['log', path]);
    expect(empty).toMatchObject({ code: 2, stdout: '', stderr: `sessionctl: ${path}: has no sessions\n` });
    makeDatabase(
      path,
      {},
      'CREATE VIEW transcript_events AS SELECT session_id, seq, event_json FROM transcript_events',
    );
    expect((await run(['log', path])).stderr).toContain('looks like an SQLite database');
    expect((await run(['validate', path])).code).toBe(2);
  });
});

describe('a folder of OpenClaw', () => {
  it('has logs that were deleted, reset, put aside or packed', async () => {
    const folder = join(scratch, 'sessions');
    const { mkdirSync } = await import('node:fs');
    mkdirSync(folder);
    const names = [
      'aaaa1111.jsonl',
      'aaaa1111.jsonl.deleted.2026-09-01T00-00-00.000Z',
      'aaaa1111.jsonl.reset.2026-09-01T00-00-00.000Z',
      'archive-tier.aaaa1111.jsonl.imported-1788220800000',
    ];
    for (const name of names) writeFileSync(join(folder, name), `${first.join('\n')}\n`);
    const archive = readFileSync(join(projectRoot, 'fixtures/formats/openclaw/session.jsonl.zst'));
    writeFileSync(join(folder, 'packed00.jsonl.deleted.2026-09-01T00-00-00.000Z.zst'), archive);
    for (const name of ['sessions.json', 'aaaa1111.jsonl.lock', 'notes.jsonl.txt'])
      writeFileSync(join(folder, name), 'x');
    const found: string[] = [];
    for await (const one of findSessions(folder)) found.push(one.path.slice(folder.length + 1));
    expect(found).toEqual([...names.slice(0, 3), names[3], 'packed00.jsonl.deleted.2026-09-01T00-00-00.000Z.zst']);
    const checked = await run(['validate', folder]);
    expect(checked.code).toBe(0);
    expect(checked.stderr).toContain('5 sessions');
    for (const name of found) expect((await run(['log', join(folder, name)])).code).toBe(0);
  });
});

describe('validate', () => {
  const [header = '', user = '', answer = ''] = second;
  const lost = answer.replace('"bbbb2222-0"', '"gone"');

  it('checks the rows of all sessions as the lines that they are, and names session and row', async () => {
    const table: Table = {
      columns: `${EVENT}, event_zstd BLOB`,
      rows: [
        ...rows(first, 'aaaa1111').map((row) => [...row, null]),
        ...rows([header, user, lost, user.slice(0, 60)], 'bbbb2222').map((row) => [...row, null]),
        ['bbbb2222', 4, null, 5, packed],
        ['bbbb2222', 5, null, 6, packed.subarray(0, 60)],
      ],
    };
    makeDatabase(path, { session_windows: windows, transcript_events: table });
    const all = await run(['validate', path]);
    expect(all.code).toBe(1);
    const found = all.stdout.trimEnd().split('\n');
    expect(found).toHaveLength(3);
    expect(found[0]).toMatch(/:4: error: torn-line: session bbbb2222, row 4: the line ends before its object closes/);
    expect(found[1]).toContain(':6: error: torn-line: session bbbb2222, row 6: ');
    expect(found[2]).toMatch(/:3: error: dangling-parent: session bbbb2222, row 3: .*'gone'/);
    expect(all.stderr).toContain('1 session');
    expect(await run(['validate', '--session', 'aaaa', path])).toMatchObject({ code: 0, stdout: '' });
    expect(await run(['validate', '--session', 'bbbb', '-'], { stdin: readFileSync(path) })).toMatchObject({ code: 1 });
    const json = await run(['validate', '--format', 'json', '--strict', '--session', 'bbbb', path]);
    expect(json.stdout).not.toContain('"fixable":true');
  });

  it('says in one line that a session is not in a database, or that a file is none', async () => {
    makeDatabase(path, { session_windows: windows, transcript_events: events });
    const unknown = await run(['validate', '--session', 'zzzz', path]);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain(`${path}: has no session 'zzzz'; it has bbbb2222`);
    const file = join(scratch, 'one.jsonl');
    writeFileSync(file, `${first.join('\n')}\n`);
    const other = await run(['validate', '--session', 'aaaa', file]);
    expect(other).toMatchObject({ code: 2, stdout: '' });
    expect(other.stderr).toContain(`${file}: is no database, from which '--session' could choose a session`);
  });

  it('has the rules of native logs for it, and is listed among the formats that are checked', async () => {
    expect((await run(['validate', '--list-rules', '--from', 'openclaw'])).stdout).toContain('dangling-parent');
    const { stdout } = await run(['formats', '--json']);
    const formats = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(formats.flat()).toContainEqual(expect.objectContaining({ id: 'openclaw', checks: true, repairs: false }));
  });
});
