import { expect, it } from 'vitest';
import { LogIndex } from '../../src/log/log-index.ts';
import { INDEX_BYTES } from '../../src/shared/command.ts';

it('holds 10 million entries in the bytes that the help speaks of, also while it grows', () => {
  const size = 10_000_000;
  const before = process.memoryUsage().arrayBuffers;
  const held = (): number => process.memoryUsage().arrayBuffers - before;
  const index = new LogIndex(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
  const idOf = (at: number): string => at.toString(16).padStart(8, '0');
  let most = 0;
  for (let at = 0; at < size; at++) {
    const parentId = at === 0 ? null : idOf(at % 10 === 0 ? at - 7 : at - 1);
    index.add({ id: idOf(at), parentId, type: 'message', role: 'user', line: at + 2, offset: at * 600, length: 599 });
    if (at >= 1_000_000 && at % 100_000 === 0) most = Math.max(most, held() / at);
  }
  index.finish();
  expect(held() / size).toBeLessThanOrEqual(INDEX_BYTES);
  // While the table of ids grows there are two of them.
  expect(most).toBeLessThanOrEqual(72);
  for (let at = 1; at < size; at += 99_991) {
    expect(index.find(idOf(at))).toBe(at);
    expect(index.idOf(at)).toBe(idOf(at));
    expect(index.parentOf(at)).toBe(at % 10 === 0 ? at - 7 : at - 1);
    expect(index.offsetOf(at)).toBe(at * 600);
  }
});
