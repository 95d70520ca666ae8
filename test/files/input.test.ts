import { fstatSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { openStore } from '../../src/files/input.ts';
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
