import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ByteStore, copyOf, inMemory, memoryScratch, storeOf, withHead } from '../../src/log/byte-store.ts';

const CHUNK = 1024 * 1024;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function withFile<T>(bytes: Buffer, use: (store: ByteStore) => Promise<T>): Promise<T> {
  const path = join(folder, 'log');
  await writeFile(path, bytes);
  const file = await open(path);
  try {
    return await use(storeOf(file));
  } finally {
    await file.close();
  }
}

async function readAt(store: ByteStore, position: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length);
  return buffer.toString('latin1', 0, await store.readAt(buffer, position));
}

describe('a store of bytes', () => {
  it.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])('gives all of a file of %i bytes', async (size) => {
    const bytes = Buffer.alloc(size, 'abcdefg');
    const [copy, end] = await withFile(bytes, async (store) => [
      await copyOf(store.chunks()),
      await readAt(store, size, 9),
    ]);
    expect(copy.equals(bytes)).toBe(true);
    expect(end).toBe('');
  });

  it('gives nothing of no bytes', async () => {
    const store = inMemory(Buffer.alloc(0));
    expect((await copyOf(store.chunks())).length).toBe(0);
    expect(await readAt(store, 0, 9)).toBe('');
    expect(await readAt(store, 9, 9)).toBe('');
  });

  it('is read from any place, whatever is in front of it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.nat(40), fc.nat(40), async (head, body, at, length) => {
        const bytes = Buffer.from(head + body);
        const scratch = memoryScratch();
        scratch.write(Buffer.from(body), Buffer.byteLength(body));
        const store = withHead(Buffer.from(head), await scratch.store());
        expect(store.size).toBe(bytes.length);
        expect((await copyOf(store.chunks())).equals(bytes)).toBe(true);
        expect(await readAt(store, at, length)).toBe(bytes.toString('latin1', at, at + length));
      }),
    );
  });

  it('does not know its size where what is behind its head does not', () => {
    expect(withHead(Buffer.from('head'), { ...inMemory(Buffer.alloc(3)), size: undefined }).size).toBeUndefined();
  });
});
