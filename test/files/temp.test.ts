import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TempFile } from '../../src/files/temp.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
let count = 0;
const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(++count);
const target = (): string => join(scratch, `target-${++count}`);

/** Files that this process has open below the scratch folder; only Linux tells. */
function openFiles(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readFileSync(`/proc/self/fdinfo/${fd}`) && existsSync(`/proc/self/fd/${fd}`);
    } catch {
      return false;
    }
  }).length;
}

describe('a temp file', () => {
  it('takes parts in their order, far more than one call can take, and is whole when it gets its name', async () => {
    const temp = new TempFile(scratch, random, new AbortController().signal);
    const parts = Array.from({ length: 5000 }, (_, at) => Buffer.from(`${at},`));
    await temp.append(parts);
    temp.write(Buffer.from('and '));
    await temp.append([Buffer.alloc(0), Buffer.from('last')]);
    await temp.append([]);
    await temp.settled();
    temp.finish();
    const path = target();
    temp.moveTo(path);
    expect(readFileSync(path, 'latin1')).toBe(`${Buffer.concat(parts).toString()}and last`);
  });

  it('syncs ahead while much is written, and is settled afterwards', async () => {
    const temp = new TempFile(scratch, random, new AbortController().signal);
    const part = Buffer.alloc(12 << 20, 'x');
    for (let round = 0; round < 6; round++) await temp.append([part]);
    for (let round = 0; round < 3; round++) temp.write(part);
    await temp.settled();
    temp.finish();
    const path = target();
    temp.moveTo(path);
    expect(readFileSync(path).length).toBe(9 * part.length);
  });

  it.skipIf(process.platform !== 'linux')(
    'is gone at once when it is stopped in the middle of a write, and closed when the write has ended',
    async () => {
      const before = openFiles();
      const stop = new AbortController();
      const temp = new TempFile(scratch, random, stop.signal);
      const writing = temp.append([Buffer.alloc(32 << 20)]);
      expect(existsSync(temp.path)).toBe(true);
      stop.abort('SIGTERM');
      expect(existsSync(temp.path)).toBe(false);
      expect(openFiles()).toBe(before + 1);
      await expect(writing).rejects.toThrow('stopped by SIGTERM');
      expect(openFiles()).toBe(before);
      expect(() => temp.write(Buffer.from('x'))).toThrow('stopped');
      await expect(temp.append([Buffer.from('x')])).rejects.toThrow('stopped');
    },
  );
});
