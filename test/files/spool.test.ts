import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Spool } from '../../src/files/spool.ts';
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

  it('writes behind, in the order asked for, beside what is written at once', async () => {
    const spool = new Spool(random, new AbortController().signal, folder);
    const behind = [spool.writeBehind(Buffer.from('one ')), spool.writeBehind(Buffer.from('two '))];
    spool.write(Buffer.from('three '));
    behind.push(spool.writeBehind(Buffer.from('four')));
    await Promise.all(behind);
    const chunks: string[] = [];
    for await (const chunk of spool.chunks()) chunks.push(chunk.toString());
    expect(chunks.join('')).toBe('one two three four');
    spool.close();
  });

  it.skipIf(!existsSync('/proc/self/fd'))('is closed only when nothing is being written any more', async () => {
    const spool = new Spool(random, new AbortController().signal, folder);
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    const behind = [spool.writeBehind(Buffer.alloc(1 << 20)), spool.writeBehind(Buffer.alloc(1 << 20))];
    spool.close();
    spool.close();
    expect(open()).toBe(before);
    await Promise.all(behind);
    expect(open()).toBe(before - 1);
  });

  it('tells who writes behind what went wrong', async () => {
    const stop = new AbortController();
    const spool = new Spool(random, stop.signal, folder);
    stop.abort('SIGINT');
    await expect(spool.writeBehind(Buffer.from('x'))).rejects.toThrow(/SIGINT/);
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
    expect(() => new Spool(random, new AbortController().signal, missing)).toThrow(`${missing}: no such file or folder`);
  });
});
