import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteList, NO_WORD, TimeList, WordList } from '../../src/rules/number-list.ts';
import { settings } from '../support/properties.ts';

describe('lists of numbers', () => {
  it('keep words of 32 bits over the ends of their pages, and can be taken back', () => {
    const list = new WordList();
    const word = (at: number): number => (at % 3 === 0 ? NO_WORD : Math.imul(at, 0x9e37_79b1) >>> 0);
    for (let at = 0; at < 40_000; at++) list.push(word(at));
    expect(list.length).toBe(40_000);
    expect(Array.from({ length: 40_000 }, (_, at) => list.get(at)).every((value, at) => value === word(at))).toBe(true);
    for (let at = 0; at < 30_000; at++) list.pop();
    list.set(5, 7);
    list.push(8);
    expect([list.length, list.get(5), list.get(9_999), list.get(10_000)]).toEqual([10_001, 7, word(9_999), 8]);
  });

  it('keep bytes', () => {
    const list = new ByteList();
    for (let at = 0; at < 20_000; at++) list.push(at % 256);
    list.set(19_000, 7);
    expect(Array.from({ length: 20_000 }, (_, at) => list.get(at)).every((value, at) => value === (at === 19_000 ? 7 : at % 256))).toBe(
      true,
    );
  });

  it('keep times exactly, near and far, whole or not, and none', () => {
    const time = fc.oneof(
      fc.integer({ min: 1_767_225_600_000, max: 1_767_225_700_000 }),
      fc.integer({ min: -(2 ** 31) - 2, max: 2 ** 31 + 2 }),
      fc.double({ noDefaultInfinity: true }),
      fc.constantFrom(Number.NaN, 8.64e15, -8.64e15, 0.5),
    );
    fc.assert(
      fc.property(fc.array(time, { maxLength: 30 }), fc.integer({ min: 0, max: 600 }), (times, many) => {
        const all = [...Array.from({ length: many }, (_, at) => 1_767_225_600_000 + at * 1000), ...times];
        const list = new TimeList();
        for (const one of all) list.push(one);
        expect(all.map((_, at) => list.get(at) + 0)).toEqual(all.map((one) => one + 0));
      }),
      settings(300),
    );
  });

  it('keep times over the ends of pages of both kinds', () => {
    const list = new TimeList();
    const times = Array.from({ length: 60_000 }, (_, at) => (at > 20_000 && at < 22_000 ? at * 1e9 : 1.7e12 + at));
    for (const time of times) list.push(time);
    expect(times.every((time, at) => list.get(at) === time)).toBe(true);
  });

  it('are empty after a reset, and as good as new', () => {
    const [words, bytes, times] = [new WordList(), new ByteList(), new TimeList()];
    for (const count of [3, 40_000, 300, 0, 17]) {
      for (const list of [words, bytes, times]) list.reset();
      expect([words.length, bytes.length]).toEqual([0, 0]);
      const time = (at: number): number => (count === 300 ? at * 1e12 : count * 1e10 + at);
      for (let at = 0; at < count; at++) {
        words.push(at * count);
        bytes.push((at + count) % 256);
        times.push(time(at));
      }
      const all = Array.from({ length: count }, (_, at) => [words.get(at), bytes.get(at), times.get(at)]);
      expect(all).toEqual(all.map((_, at) => [at * count, (at + count) % 256, time(at)]));
    }
  });
});
