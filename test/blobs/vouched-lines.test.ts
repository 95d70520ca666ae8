import { describe, expect, it } from 'vitest';
import { VouchedLines } from '../../src/blobs/vouched-lines.ts';
import { Block, readBlocks } from '../../src/lines/reader.ts';
import { makeImageScanner } from '../../src/scanner/images.ts';
import { user } from '../support/sessions.ts';

const soon = (): Promise<void> => new Promise((done) => setImmediate(done));
const LINES = Buffer.from(Array.from({ length: 5 }, (_, at) => user(`e${at}`, null)).join(''));

describe.each(['compiled'] as const)('lines that the %s scanner vouches for', (kind) => {
  it('fill no place from which bytes are still on their way', async () => {
    const vouched = new VouchedLines(() => makeImageScanner(kind), 'images');
    const filled: number[] = [];
    const read = async function* (buffers: readonly Buffer[] | undefined): AsyncGenerator<Buffer, void, void> {
      // As a file is read: when a chunk is handed out, the place of the next one is being filled.
      for (let at = 0; at < 9; at++) {
        const buffer = buffers?.[at % buffers.length] as Buffer;
        LINES.copy(buffer);
        filled.push(at + 1);
        yield buffer.subarray(0, LINES.length);
      }
    };
    const places = 4;
    const done: (() => void)[] = [];
    const work = (async () => {
      for await (const block of readBlocks(vouched.chunks(read))) {
        if (!(block instanceof Block)) throw new Error('no block');
        const held = await vouched.hold(block);
        expect(Buffer.concat([...(held?.parts() ?? [])].map((part) => part as Buffer))).toEqual(LINES);
        held?.leaves(new Promise((free) => done.push(free)));
      }
    })();
    for (let left = 0; left < 9; left++) {
      for (let wait = 0; wait < 20; wait++) await soon();
      expect(Math.max(...filled)).toBe(Math.min(left + places - 1, 9));
      done[left]?.();
    }
    await work;
  });

  it('are held until they have left, where they came in other memory, however long they are', async () => {
    const vouched = new VouchedLines(() => makeImageScanner(kind), 'images');
    const long = Buffer.from(Array.from({ length: 6 }, (_, at) => user(`e${at}`, null, 'x'.repeat(1 << 20))).join(''));
    for (const [bytes, places] of [
      [LINES, 2],
      [long, 1],
    ] as const) {
      const free: (() => void)[] = [];
      let held = 0;
      const work = (async () => {
        const source = (async function* () {
          for (let at = 0; at < 5; at++) yield bytes;
        })();
        for await (const block of readBlocks(source)) {
          const one = await vouched.hold(block as Block);
          held++;
          expect(Buffer.concat([...(one?.parts() ?? [])].map((part) => part as Buffer)).equals(bytes)).toBe(true);
          one?.leaves(new Promise((done) => free.push(done)));
        }
      })();
      for (let left = 0; left < 5; left++) {
        for (let wait = 0; wait < 20; wait++) await soon();
        expect(held).toBe(Math.min(left + places, 5));
        free[left]?.();
      }
      await work;
    }
  });
});
