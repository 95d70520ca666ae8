import { expect, it } from 'vitest';
import { LogIndex } from '../../src/tree/log-index.ts';

it('holds 10 million entries in at most 36 bytes each, also while it grows', () => {
  const size = 10_000_000;
  const before = process.memoryUsage().arrayBuffers;
  const index = new LogIndex(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
  let most = 0;
  for (let at = 0; at < size; at++) {
    const parentId = at === 0 ? null : (at % 10 === 0 ? at - 7 : at - 1).toString(36);
    index.add({ id: at.toString(36), parentId, type: 'message', role: 'user', line: at + 2, offset: at * 600, length: 599 });
    if (at >= 1_000_000 && at % 100_000 === 0) most = Math.max(most, index.bytes / at);
  }
  index.finish();
  expect(index.bytes / size).toBeLessThanOrEqual(36);
  expect(most).toBeLessThanOrEqual(37);
  // What V8 counts: the typed arrays, and garbage of parts of the table that grew.
  expect((process.memoryUsage().arrayBuffers - before) / size).toBeLessThanOrEqual(40);
  for (let at = 1; at < size; at += 99_991) {
    expect(index.find(at.toString(36))).toBe(at);
    expect(index.parentOf(at)).toBe(at % 10 === 0 ? at - 7 : at - 1);
    expect(index.offsetOf(at)).toBe(at * 600);
  }
}, 120_000);
