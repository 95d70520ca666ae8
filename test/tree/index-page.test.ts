import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IndexPage } from '../../src/tree/index-page.ts';
import { settings } from '../support/properties.ts';

interface Row {
  readonly line: number;
  readonly offset: number;
  readonly parent: number;
}

/** Rows as logs have them: lines and offsets grow, mostly by little; most parents are the entry before. */
function rowsOf(first: number, steps: readonly (readonly [number, number, number])[]): Row[] {
  let [line, offset] = [5, 1000];
  return steps.map(([lines, bytes, back], at) => {
    line += lines;
    offset += bytes;
    return { line, offset, parent: first + at - back };
  });
}

function fill(page: IndexPage, rows: readonly Row[], from = 0): void {
  rows.slice(from).forEach(({ line, offset, parent }, at) => {
    page.setLine(from + at, line);
    page.setOffset(from + at, offset);
    page.addParent(from + at, parent);
  });
}

function read(page: IndexPage, count: number): Row[] {
  return Array.from({ length: count }, (_, at) => ({ line: page.line(at), offset: page.offset(at), parent: page.parent(at) }));
}

const step = fc.tuple(
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(0, 1, 1, 1, 2) }, { weight: 1, arbitrary: fc.constantFrom(200, 2 ** 31) }),
  fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 900 }) }, { weight: 1, arbitrary: fc.constantFrom(2 ** 31, 2 ** 33) }),
  fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: -3, max: 40 }) }),
);

describe('a page of the index', () => {
  it('gives back lines, offsets and parents, near and far, also after it has grown', () => {
    fc.assert(
      fc.property(fc.constantFrom(0, 4096), fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 60 }), (first, steps, cut) => {
        const rows = rowsOf(first, steps);
        const page = new IndexPage(first, 64);
        fill(page, rows);
        expect(read(page, rows.length)).toEqual(rows);
        const small = new IndexPage(first, 64);
        fill(small, rows.slice(0, cut));
        const large = small.grown(256);
        fill(large, rows, Math.min(cut, rows.length));
        expect(read(large, rows.length)).toEqual(rows);
      }),
      settings(300),
    );
  });

  it('takes few bytes for a chain, and no more than a number an entry where every parent is another', () => {
    const chain = new IndexPage(4096, 4096);
    const wild = new IndexPage(4096, 4096);
    const step = (back: number): [number, number, number] => [1, 600, back];
    fill(
      chain,
      rowsOf(
        4096,
        Array.from({ length: 4096 }, () => step(1)),
      ),
    );
    const rows = rowsOf(
      4096,
      Array.from({ length: 4096 }, (_, at) => step(2 + (at % 50))),
    );
    fill(wild, rows);
    expect(read(wild, 4096)).toEqual(rows);
    expect(chain.bytes / 4096).toBeLessThan(20.5);
    expect(wild.bytes / 4096).toBeLessThan(24.5);
    wild.changeParent(7, -2);
    expect([wild.parent(6), wild.parent(7)]).toEqual([rows[6]?.parent, -2]);
  });
});
