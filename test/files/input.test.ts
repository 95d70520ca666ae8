import { randomBytes } from 'node:crypto';
import { appendFileSync, fstatSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { CHUNK_BYTES, fileChunks, openStore } from '../../src/files/input.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder();

it('a store that is closed twice does not close the file that has its number by then', async () => {
  const file = join(folder, 'log.jsonl');
  writeFileSync(file, '{}\n');
  const { signal } = new AbortController();
  const store = await openStore(file, { stdin: Readable.from([]), random: (size) => new Uint8Array(size), signal });
  await store.close();
  const next = openSync(file, 'r');
  expect(next).toBe(store.fd);
  await store.close();
  expect(fstatSync(next).isFile()).toBe(true);
});

it.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, 4.5 * CHUNK_BYTES])(
  'the chunks of a file of %i bytes are its bytes',
  async (size) => {
    const file = join(folder, `${size}.bin`);
    const bytes = randomBytes(size);
    writeFileSync(file, bytes);
    const read: Buffer[] = [];
    for await (const chunk of fileChunks(file)) read.push(Buffer.from(chunk));
    expect(Buffer.concat(read).equals(bytes)).toBe(true);
  },
);

it('the chunks of a file that grows while it is read have what was added, once and in its place', async () => {
  const file = join(folder, 'growing.bin');
  const bytes = randomBytes(5 * CHUNK_BYTES);
  writeFileSync(file, bytes.subarray(0, 1.5 * CHUNK_BYTES));
  let written = 1.5 * CHUNK_BYTES;
  const read: Buffer[] = [];
  for await (const chunk of fileChunks(file)) {
    read.push(Buffer.from(chunk));
    const end = Math.min(bytes.length, written + 0.75 * CHUNK_BYTES);
    appendFileSync(file, bytes.subarray(written, end));
    written = end;
  }
  expect(Buffer.concat(read).equals(bytes)).toBe(true);
});
