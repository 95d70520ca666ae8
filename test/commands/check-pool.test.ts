import { expect, it } from 'vitest';
import { Turns } from '../../src/commands/check-pool.ts';

it('gives each file to one thread, and none that is far ahead of what was told', () => {
  const counters = new SharedArrayBuffer(Turns.BYTES);
  const [one, other] = [new Turns(counters, 100), new Turns(counters, 100)];
  expect([one.take(), other.take(), one.takeNow()]).toEqual([0, 1, 2]);
  for (let at = 3; at < 64; at++) expect(other.takeNow()).toBe(at);
  expect(other.takeNow()).toBeUndefined();
  expect([one.isTooEarly(63), one.isTooEarly(64)]).toEqual([false, true]);
  one.told(1);
  expect([other.isTooEarly(64), other.isTooEarly(65)]).toEqual([false, true]);
  expect(other.takeNow()).toBe(64);
  other.wait(64);
  one.told(65);
  for (let at = 65; at < 100; at++) expect(one.take()).toBe(at);
  expect([one.take(), other.take(), one.takeNow()]).toEqual([undefined, undefined, undefined]);
});
