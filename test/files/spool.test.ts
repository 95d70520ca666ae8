import { spawnSync } from 'node:child_process';
import { existsSync, fstatSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tryOr } from '../../src/files/disk.ts';
import { Spool } from '../../src/files/spool.ts';
import { SCRATCH_BYTES } from '../../src/log/byte-store.ts';
import { projectRoot } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder();
const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(7);

describe('Spool', () => {
  it('gives back what was written, from any place, and has no name meanwhile', async () => {
    const spool = new Spool(random, new AbortController().signal, folder);
    spool.write(Buffer.from('hello '));
    spool.write(Buffer.from('world'));
    expect(readdirSync(folder)).toEqual([]);
    const buffer = Buffer.alloc(20);
    expect(await spool.readAt(buffer, 6)).toBe(5);
    expect(buffer.toString('latin1', 0, 5)).toBe('world');
    const chunks: string[] = [];
    for await (const chunk of spool.chunks()) chunks.push(chunk.toString());
    expect(chunks.join('')).toBe('hello world');
    expect(spool.size).toBe(11);
    spool.close();
    spool.close();
  });

  it('gives back what was written behind, in its order, however much of it was under way', async () => {
    const spool = new Spool(random, new AbortController().signal, folder);
    const parts = Array.from({ length: 40 }, (_, at) => Buffer.alloc(at === 20 ? 900_000 : 1_000 * at, 65 + at));
    let memory: Buffer = Buffer.alloc(SCRATCH_BYTES);
    for (const part of parts) {
      if (part.length > memory.length) spool.writeBehind(part, part.length);
      else memory = spool.writeBehind(memory, part.copy(memory));
    }
    await spool.settled();
    const chunks: Buffer[] = [];
    for await (const chunk of spool.chunks()) chunks.push(Buffer.from(chunk));
    expect(Buffer.concat(chunks).equals(Buffer.concat(parts))).toBe(true);
    spool.close();
  });

  it('stays open while a write is under way', async () => {
    const stop = new AbortController();
    const spool = new Spool(random, stop.signal, folder);
    const file = (): number | undefined => tryOr(undefined, () => fstatSync(spool.fd).ino);
    const own = file();
    spool.writeBehind(Buffer.alloc(SCRATCH_BYTES, 1), 200_000);
    stop.abort('SIGINT');
    expect(file()).toBe(own);
    await spool.settled();
    expect(file()).not.toBe(own);
    expect(() => spool.writeBehind(Buffer.from('x'), 1)).toThrow(/SIGINT/);
  });

  it('ends a conversion that it has no room for', () => {
    const own = scratchFolder();
    const log = join(own, 'claude.jsonl');
    const record = (at: number) => ({
      ...{ type: 'user', uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, isSidechain: false },
      ...{ sessionId: 's', message: { role: 'user', content: 'x'.repeat(10_000) } },
    });
    const records = Array.from({ length: 500 }, (_, at) => JSON.stringify(record(at)));
    writeFileSync(log, `${records.join('\n')}\n`);
    const program = join(projectRoot, 'bin/sessionctl.js');
    const ran = spawnSync(
      'bash',
      ['-c', 'ulimit -f 1000; exec "$@"', 'bash', process.execPath, program, 'convert', log],
      {
        // Newer versions of Node keep compiled code there, whatever we do.
        env: { ...process.env, TMPDIR: own, NODE_DISABLE_COMPILE_CACHE: '1' },
      },
    );
    expect(ran.stderr.toString()).toBe(
      `sessionctl: ${own}: the file would exceed a size limit; raise the limit or write elsewhere\n`,
    );
    expect(ran.status).toBe(2);
    expect(readdirSync(own)).toEqual(['claude.jsonl']);
  });

  it('stops when the user stops the program', () => {
    const stop = new AbortController();
    const spool = new Spool(random, stop.signal, folder);
    stop.abort('SIGINT');
    expect(() => spool.write(Buffer.from('x'))).toThrow(/SIGINT/);
    expect(() => new Spool(random, stop.signal, folder)).toThrow(/SIGINT/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says which folder it could not use', () => {
    const missing = `${folder}/none`;
    expect(existsSync(missing)).toBe(false);
    expect(() => new Spool(random, new AbortController().signal, missing)).toThrow(
      `${missing}: no such file or folder`,
    );
  });
});
