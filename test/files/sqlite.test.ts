import { spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/files/sqlite.ts';
import { openUnpacked } from '../../src/files/unpack.ts';
import { copyOf } from '../../src/log/byte-store.ts';
import { makeDatabase, openInUse } from '../support/database.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder();
const temp = join(folder, 'tmp');
const logs = join(folder, 'logs');
const path = join(logs, 'a.db');
const program = join(projectRoot, 'bin/sessionctl.js');
const { signal } = new AbortController();
const setTemp = process.env['TMPDIR'];

beforeEach(() => {
  mkdirSync(temp, { recursive: true });
  mkdirSync(logs, { recursive: true });
  process.env['TMPDIR'] = temp;
});

afterEach(() => {
  if (setTemp === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = setTemp;
  expect(readdirSync(temp)).toEqual([]);
});

const notes = {
  columns: 'id INTEGER PRIMARY KEY, text',
  rows: [
    [1, 'one'],
    [2, 'two'],
  ],
};

async function rowsOf(store: Awaited<ReturnType<typeof openDatabase>>, sql: string, ...params: string[]) {
  const all = [];
  for await (const rows of store.database?.rows(sql, ...params) ?? []) all.push(...rows);
  return all;
}

describe('a database', () => {
  it('is a line that names its tables, and gives its rows; nothing is written beside it', async () => {
    makeDatabase(path, { notes, empty: { columns: '"a b", __proto__' } }, 'CREATE VIEW seen AS SELECT * FROM notes');
    const before = { names: readdirSync(logs), bytes: readFileSync(path), time: statSync(path).mtimeMs };
    const store = await openDatabase('a.db', { path }, signal);
    expect(readdirSync(temp)).toEqual([]);
    const line = (await copyOf(store.chunks())).toString();
    expect(line).toBe('{"sqlite":{"tables":{"empty":["a b","__proto__"],"notes":["id","text"]}}}\n');
    expect(store.size).toBe(line.length);
    expect(await rowsOf(store, 'SELECT text FROM notes WHERE text > ? ORDER BY id', 'p')).toEqual([{ text: 'two' }]);
    expect(await rowsOf(store, 'SELECT count(*) AS n FROM notes')).toEqual([{ n: 2 }]);
    await expect(rowsOf(store, 'DELETE FROM notes')).rejects.toThrow(/^a\.db: .*readonly/);
    await store.close();
    await store.close();
    expect(readdirSync(logs)).toEqual(before.names);
    expect(readFileSync(path)).toEqual(before.bytes);
    expect(statSync(path).mtimeMs).toBe(before.time);
  });

  it('that is in use is read with what is in its log alone, and not changed', async () => {
    makeDatabase(path, { notes });
    const user = openInUse(path, "INSERT INTO notes VALUES (3, 'three')");
    const before = readdirSync(logs).map((name) => [name, statSync(join(logs, name)).size]);
    expect(before).toContainEqual(['a.db-wal', expect.any(Number)]);
    const store = await openDatabase('a.db', { path }, signal);
    expect(readdirSync(temp)).toEqual([]);
    expect(await rowsOf(store, 'SELECT text FROM notes')).toHaveLength(3);
    await store.close();
    expect(readdirSync(logs).map((name) => [name, statSync(join(logs, name)).size])).toEqual(before);
    user.close();
  });

  it('whose last user left in the middle of a change is read as it was before that', async () => {
    makeDatabase(path, { notes });
    const other = join(logs, 'b.db');
    copyFileSync(path, other);
    const user = openInUse(other, 'PRAGMA journal_mode=DELETE', 'PRAGMA cache_size=1', 'BEGIN');
    (user as unknown as { exec(sql: string): void }).exec(
      'WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) INSERT INTO notes SELECT i, hex(zeroblob(100)) FROM n',
    );
    copyFileSync(other, path);
    copyFileSync(`${other}-journal`, `${path}-journal`);
    user.close();
    expect(statSync(path).size).toBeGreaterThan(100_000);
    const store = await openDatabase('a.db', { path }, signal);
    expect(await rowsOf(store, 'SELECT text FROM notes')).toEqual([{ text: 'one' }, { text: 'two' }]);
    await store.close();
    expect(statSync(`${path}-journal`).size).toBeGreaterThan(0);
  });

  it('that is changed while it is read is not read on', async () => {
    makeDatabase(path, { notes });
    const store = await openDatabase('a.db', { path }, signal);
    appendFileSync(path, Buffer.alloc(4096));
    await expect(rowsOf(store, 'SELECT text FROM notes')).rejects.toThrow(
      'a.db: was changed while it was read; run again, or on a copy',
    );
    await store.close();
  });

  it('comes from a pipe as well, in any chunks', async () => {
    const bytes = readFileSync(makeDatabase(path, { notes }));
    const pieces = [bytes.subarray(0, 3), bytes.subarray(3, 15), bytes.subarray(15, 5000), bytes.subarray(5000)];
    for (const stdin of [[bytes], pieces]) {
      const { Readable } = await import('node:stream');
      const io = {
        stdin: Readable.from(stdin),
        signal,
        random: (n: number) => new Uint8Array(n).fill(1),
        note: () => {},
      };
      const store = await openUnpacked('-', { ...io, stdin: Object.assign(io.stdin, { isTTY: false }) as never });
      expect(await rowsOf(store, 'SELECT text FROM notes')).toHaveLength(2);
      await store.close();
    }
    for (const command of ['log', 'validate', 'externalize'])
      expect(
        await run([command, ...(command === 'externalize' ? ['--blobs', temp] : [])], { stdin: bytes }),
      ).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('looks like an SQLite database'),
      });
  });

  it('that is none, or damaged, or has odd tables gives one clear line', async () => {
    const whole = readFileSync(makeDatabase(path, { notes }, 'CREATE TABLE more AS SELECT hex(zeroblob(90000)) AS x'));
    const start = Buffer.from('SQLite format 3\0');
    const damaged = Buffer.from(whole).fill(0xff, 100, 4096);
    const sorts = [
      start,
      Buffer.concat([start, Buffer.alloc(5000, 'x')]),
      damaged,
      whole.subarray(0, 50),
      whole.subarray(0, 8192),
    ];
    for (const bytes of sorts) {
      writeFileSync(path, bytes);
      for (const command of ['log', 'validate', 'convert', 'externalize']) {
        const { code, stderr, stdout } = await run([
          command,
          path,
          ...(command === 'externalize' ? ['--blobs', temp] : []),
        ]);
        expect([code, stdout]).toEqual([2, '']);
        expect(stderr.split('\n')[0]).toMatch(
          /a\.db: cannot be read as an SQLite database: (file is not a database; check|database disk image is malformed; 'sqlite3 FILE \.recover')/,
        );
      }
    }
    writeFileSync(path, Buffer.from(whole).fill(0xff, 20_000));
    const store = await openDatabase('a.db', { path }, signal);
    await expect(rowsOf(store, 'SELECT x FROM more')).rejects.toThrow(/^a\.db: cannot be read as an SQLite database/);
    await store.close();
    makeDatabase(path, {}, 'CREATE VIEW messages AS SELECT * FROM messages', 'CREATE VIRTUAL TABLE f USING fts5(a)');
    expect(await run(['log', path])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('looks like an SQLite database'),
    });
  });

  it('with more rows than fit into memory is read a few at a time, and a stop ends it', async () => {
    makeDatabase(path, { notes });
    const stop = new AbortController();
    const store = await openDatabase('a.db', { path }, stop.signal);
    const endless =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, hex(zeroblob(1000)) AS x FROM n';
    let seen = 0;
    const reading = (async () => {
      for await (const rows of store.database?.rows(endless) ?? []) {
        expect(rows.length).toBeLessThan(1025);
        seen += rows.length;
        if (seen > 100_000) setImmediate(() => stop.abort('SIGINT'));
      }
    })();
    await expect(reading).rejects.toThrow(/SIGINT/);
    await store.close();
  });

  it('leaves nothing behind when a signal ends the program while it is copied', async () => {
    // Newer versions of Node keep compiled code there, whatever we do.
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
    const child = spawn(process.execPath, [program, 'log'], { stdio: ['pipe', 'ignore', 'ignore'], env });
    child.stdin.on('error', () => {});
    child.stdin.write(readFileSync(makeDatabase(path, { notes })));
    await expect.poll(() => readdirSync(temp).length, { timeout: 10_000 }).toBe(1);
    expect(statSync(join(temp, readdirSync(temp)[0] as string)).mode & 0o777).toBe(0o700);
    child.kill('SIGTERM');
    expect(await new Promise((done) => child.on('exit', (code) => done(code)))).toBe(143);
  });
});
