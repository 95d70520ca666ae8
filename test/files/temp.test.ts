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
  it('takes parts in their order, and is whole when it gets its name', () => {
    const temp = new TempFile(scratch, random, new AbortController().signal);
    const parts = Array.from({ length: 5000 }, (_, at) => Buffer.from(`${at},`));
    for (const part of [...parts, Buffer.alloc(0), Buffer.from('last')]) temp.write(part);
    temp.finish();
    const path = target();
    temp.moveTo(path);
    expect(readFileSync(path, 'latin1')).toBe(`${Buffer.concat(parts).toString()}last`);
  });

  it.skipIf(process.platform !== 'linux')('is gone and closed at once when it is stopped, and takes no more', () => {
    const before = openFiles();
    const stop = new AbortController();
    const temp = new TempFile(scratch, random, stop.signal);
    temp.write(Buffer.alloc(1 << 20));
    expect(existsSync(temp.path)).toBe(true);
    expect(openFiles()).toBe(before + 1);
    stop.abort('SIGTERM');
    expect(existsSync(temp.path)).toBe(false);
    expect(openFiles()).toBe(before);
    expect(() => temp.write(Buffer.from('x'))).toThrow('stopped by SIGTERM');
  });
});
