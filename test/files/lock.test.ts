import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type LockOptions, withLock } from '../../src/files/lock.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const fresh = (): string => join(mkdtempSync(join(scratch, 'lock-')), 'f.lock');

function options(more: Partial<LockOptions> = {}): LockOptions {
  return {
    processes: { own: process.pid, isRunning: (pid) => pid === process.pid },
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    signal: new AbortController().signal,
    timeoutMs: 0,
    ...more,
  };
}

const held = (pid: number): string => `${JSON.stringify({ pid, host: hostname(), start: '', token: 't' })}\n`;

test('holds the lock exactly while the work is done', async () => {
  const path = fresh();
  const holder = await withLock(
    path,
    options(),
    () => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>,
  );
  expect(holder).toMatchObject({ pid: process.pid, host: hostname() });
  expect(existsSync(path)).toBe(false);
});

test('gives the lock back when the work fails', async () => {
  const path = fresh();
  const failing = withLock(path, options(), () => {
    throw new Error('no luck');
  });
  await expect(failing).rejects.toThrow('no luck');
  expect(existsSync(path)).toBe(false);
});

test('respects a lock whose process runs, and takes over one whose process is gone', async () => {
  const path = fresh();
  const running = options({ processes: { own: 1, isRunning: () => true } });
  writeFileSync(path, held(4242));
  await expect(withLock(path, running, () => 1)).rejects.toThrow(/is held by process 4242 on/);
  expect(readFileSync(path, 'utf8')).toBe(held(4242));
  expect(await withLock(path, options(), () => 'mine')).toBe('mine');
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

test('a lock that tells no holder is somebody who is just writing it, until it is old', async () => {
  const path = fresh();
  for (const content of ['', '{"pid":', 'null']) {
    writeFileSync(path, content);
    await expect(withLock(path, options(), () => 1)).rejects.toThrow(/is held by another process/);
    utimesSync(path, 1000, 1000);
    expect(await withLock(path, options(), () => 'mine')).toBe('mine');
  }
});

test('refuses a link, a pipe or a folder in the place of the lock instead of waiting for it', async () => {
  const makers: ((path: string) => void)[] = [
    (path) => symlinkSync(join(path, '..', 'nowhere'), path),
    (path) => symlinkSync(path, path),
    (path) => execFileSync('mkfifo', [path]),
    (path) => mkdirSync(path),
  ];
  for (const make of makers) {
    const path = fresh();
    make(path);
    // One look is enough to tell; going round again would be a wait without an end.
    let looks = 0;
    const counting = options({
      random: (bytes) => {
        if (++looks > 5) throw new Error('goes round and round');
        return new Uint8Array(bytes);
      },
    });
    await expect(withLock(path, counting, () => 1)).rejects.toThrow(
      /f\.lock: is in the place of the lock but is not a lock file; remove it$/,
    );
    expect(lstatSync(path).isFile()).toBe(false);
    expect(readdirSync(join(path, '..'))).toEqual(['f.lock']);
  }
});

test('does not remove a lock that another has taken meanwhile', async () => {
  const path = fresh();
  await withLock(path, options(), () => writeFileSync(path, held(4242)));
  expect(readFileSync(path, 'utf8')).toBe(held(4242));
});

test('stops waiting when the program is stopped', async () => {
  const path = fresh();
  writeFileSync(path, held(4242));
  const stop = new AbortController();
  const waiting = withLock(
    path,
    options({ processes: { own: 1, isRunning: () => true }, timeoutMs: 60_000, signal: stop.signal }),
    () => 1,
  );
  setTimeout(() => stop.abort('SIGTERM'), 20);
  await expect(waiting).rejects.toThrow(/stopped by SIGTERM/);
});
