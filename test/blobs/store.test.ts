import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BlobStore, sha256 } from '../../src/blobs/store.ts';
import { hashOfRef, refOf } from '../../src/entries/blob-ref.ts';
import { BlobFolder } from '../../src/files/blob-files.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const fresh = (): string => mkdtempSync(join(scratch, 'store-'));

function tools(stop = new AbortController()): Parameters<BlobStore['put']>[1] {
  return {
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    signal: stop.signal,
    now: () => 1_800_000_000_000,
    mode: 0o640,
  };
}

test('gives back what was put, under its hash', () => {
  const path = fresh();
  const store = new BlobStore(path);
  const bytes = Buffer.from('content');
  const hash = store.put(bytes, tools());
  expect(hash).toBe('ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73');
  store.settle();
  expect(readdirSync(path)).toEqual([hash]);
  expect(statSync(join(path, hash ?? '')).mode & 0o777 & ~0o640).toBe(0);
  expect(new BlobStore(path).get(refOf(hash ?? ''))).toEqual(bytes);
  expect(new BlobStore(path).check(refOf(hash ?? ''))).toBe(undefined);
});

test('a blob has its name only when it is whole on the disk, and an abandoned one leaves nothing', () => {
  const path = fresh();
  const store = new BlobStore(path);
  store.put(Buffer.from('a'), tools());
  expect(readdirSync(path).filter((name) => /^[0-9a-f]{64}$/.test(name))).toEqual([]);
  store.folder.abandon();
  expect(readdirSync(path)).toEqual([]);
});

test('a signal takes away what has no name yet', () => {
  const path = fresh();
  const stop = new AbortController();
  const store = new BlobStore(path);
  for (let number = 0; number < 20; number++) store.put(Buffer.from([number]), tools(stop));
  expect(readdirSync(path).length).toBe(20);
  stop.abort('SIGINT');
  expect(readdirSync(path)).toEqual([]);
  expect(() => store.settle()).toThrow(/stopped by SIGINT/);
});

test('does not write a blob again, but makes it young', () => {
  const path = fresh();
  const bytes = Buffer.from('content');
  const place = join(path, sha256(bytes));
  writeFileSync(place, bytes);
  utimesSync(place, 1000, 1000);
  const before = statSync(place);
  new BlobStore(path).put(bytes, tools());
  expect([statSync(place).ino, statSync(place).mtimeMs]).toEqual([before.ino, 1_800_000_000_000]);
});

test('many blobs at once are all there', () => {
  const path = fresh();
  const store = new BlobStore(path);
  const all = Array.from({ length: 100 }, (_, number) => Buffer.alloc(3000, number));
  const hashes = all.map((bytes) => store.put(bytes, tools()));
  store.settle();
  expect(readdirSync(path).sort()).toEqual(hashes.sort());
  for (const hash of hashes) expect(sha256(readFileSync(join(path, String(hash))))).toBe(hash);
});

test('lists blobs, leftovers and strangers apart', () => {
  const path = fresh();
  const hash = sha256(Buffer.from('x'));
  writeFileSync(join(path, hash), 'x');
  writeFileSync(join(path, `.sessionctl-${'a'.repeat(24)}.tmp`), 'half');
  writeFileSync(join(path, hash.toUpperCase()), 'x');
  mkdirSync(join(path, '.trash'));
  symlinkSync(hash, join(path, 'b'.repeat(64)));
  const { blobs, leftovers, others } = new BlobStore(path).folder.list();
  expect(blobs.map((one) => [one.hash, one.size])).toEqual([[hash, 1]]);
  expect(leftovers.map((one) => one.name)).toEqual([`.sessionctl-${'a'.repeat(24)}.tmp`]);
  expect([...others].sort()).toEqual([hash.toUpperCase(), 'b'.repeat(64)].sort());
});

test('a name that is no hash never becomes a path', () => {
  const folder = new BlobFolder(fresh());
  for (const name of ['../x', '', 'a'.repeat(63), 'A'.repeat(64), `${'a'.repeat(64)}/..`, `${'a'.repeat(64)}\n`]) {
    expect(() => folder.size(name), name).toThrow(/is not a blob hash/);
    expect(() => folder.read(name, () => {}), name).toThrow(/is not a blob hash/);
    expect(hashOfRef(`blob:sha256:${name}`), name).toBe(undefined);
    expect(new BlobStore(folder.path).get(`blob:sha256:${name}`), name).toBe('bad-blob-ref');
  }
});

test('a link is not followed when it is read, even if nobody looked at it before', () => {
  const folder = new BlobFolder(fresh());
  const bytes = Buffer.from('outside');
  const outside = join(fresh(), 'outside');
  writeFileSync(outside, bytes);
  symlinkSync(outside, join(folder.path, sha256(bytes)));
  expect(folder.read(sha256(bytes), () => expect.unreachable('read through a link'))).toBe(false);
});

test('what was named anew since the collection began is not taken', () => {
  const folder = new BlobFolder(fresh());
  const hash = sha256(Buffer.from('x'));
  writeFileSync(join(folder.path, hash), 'x');
  const signal = new AbortController().signal;
  utimesSync(join(folder.path, hash), 2000, 2000);
  expect(folder.take(hash, 1_000_000, true, signal)).toBe(false);
  expect(readdirSync(folder.path)).toEqual([hash]);
  expect(folder.take(hash, 3_000_000, true, signal)).toBe(true);
  expect(readdirSync(folder.path)).toEqual([]);
  expect(folder.take(hash, 3_000_000, true, signal)).toBe(false);
});
