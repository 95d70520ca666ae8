import { describe, expect, it } from 'vitest';
import { IdTable, NOT_FOUND, PAGE_SIZE } from '../../src/tree/id-table.ts';

/** A table that starts with few bits for positions, filled with hashes, and what each one led to before. */
function tableOf(hashes: readonly (readonly [number, number])[], positionBits: number): { table: IdTable; before: number[] } {
  const pages = Array.from({ length: Math.ceil(hashes.length / PAGE_SIZE) }, () => ({
    hashLow: new Int32Array(PAGE_SIZE),
    hashHigh: new Int32Array(PAGE_SIZE),
  }));
  const table = new IdTable(pages, positionBits);
  const before = hashes.map(([low, high], at) => {
    const page = pages[Math.floor(at / PAGE_SIZE)] as (typeof pages)[number];
    page.hashLow[at % PAGE_SIZE] = low;
    page.hashHigh[at % PAGE_SIZE] = high;
    const found = table.seek(low, high);
    expect(table.put(at)).toBe(found);
    return found;
  });
  return { table, before };
}

describe('the table of ids', () => {
  it('finds every hash after it has given more bits to positions, and none that it was not given', () => {
    // The halves differ in one bit here and there, so that tags, slots and parts collide.
    const hashes = Array.from({ length: 9_000 }, (_, at) => [Math.imul(at >>> 3, 0x9e37_79b1), Math.imul(at & 7, 0x2111_1111)] as const);
    for (const positionBits of [4, 8, 12, 24]) {
      const { table, before } = tableOf(hashes, positionBits);
      expect(before.every((found) => found === NOT_FOUND)).toBe(true);
      expect(hashes.every(([low, high], at) => table.get(low, high) === at)).toBe(true);
      expect(hashes.some(([low, high]) => table.get(low ^ 0x100, high) === NOT_FOUND)).toBe(true);
      expect(table.get(5, 5)).toBe(NOT_FOUND);
    }
  });

  it('leads to the last position of a hash, and tells the one before', () => {
    const hashes = [
      [7, 9],
      [1, 1],
      [7, 9],
      [7, 1],
      [7, 9],
    ] as const;
    const { table, before } = tableOf(hashes, 4);
    expect(before).toEqual([NOT_FOUND, NOT_FOUND, 0, NOT_FOUND, 2]);
    expect(hashes.map(([low, high]) => table.get(low, high))).toEqual([4, 1, 4, 3, 4]);
  });
});
