import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DrawnLine, drawnLines } from '../../../src/projection/overview/shape.ts';
import { Children } from '../../../src/tree/children.ts';
import { LogIndex } from '../../../src/tree/log-index.ts';
import { settings } from '../../support/properties.ts';

function indexOf(parents: readonly number[]): LogIndex {
  const index = new LogIndex(new Uint8Array(8));
  parents.forEach((parent, at) => {
    const parentId = parent < 0 ? null : `e${parent}`;
    index.add({ id: `e${at}`, parentId, type: 'message', role: at % 2 === 0 ? 'user' : 'assistant', line: at + 2, offset: at, length: 1 });
  });
  index.finish();
  return index;
}

function linesOf(parents: readonly number[], leaf: number, notable: readonly number[] = []): DrawnLine[] {
  const index = indexOf(parents);
  return [...drawnLines(index, new Children(index), { leaf, isNotable: (at) => notable.includes(at) })];
}

/** 'depth:position', '+' where it branches off, 'xN' for a run. */
function short(lines: readonly DrawnLine[]): string[] {
  return lines.map((line) =>
    line.kind === 'run' ? `${line.depth}:x${line.count}` : `${line.depth}:${line.branchesOff ? '+' : ''}${line.position}`,
  );
}

describe('drawnLines', () => {
  it('folds straight runs, but not a run of one, and keeps what is notable', () => {
    expect(short(linesOf([-1, 0, 1, 2, 3, 4], 5))).toEqual(['0:0', '0:x4', '0:5']);
    expect(short(linesOf([-1, 0, 1, 2, 3, 4], 5, [2]))).toEqual(['0:0', '0:1', '0:2', '0:x2', '0:5']);
    expect(linesOf([-1, 0, 1, 2, 3, 4], 5)[1]).toMatchObject({
      kinds: new Map([
        ['assistant', 2],
        ['user', 2],
      ]),
    });
  });

  it('lets the branch of the leaf go on in its column, and of others the one that goes on last', () => {
    // 0 - 1 - 4 and 0 - 2 - 3
    expect(short(linesOf([-1, 0, 0, 2, 1], 4))).toEqual(['0:0', '1:+2', '1:3', '0:1', '0:4']);
    expect(short(linesOf([-1, 0, 0, 2, 1], 3))).toEqual(['0:0', '1:+1', '1:4', '0:2', '0:3']);
    expect(short(linesOf([-1, 0, 0, 2, 1], -1))).toEqual(['0:0', '1:+2', '1:3', '0:1', '0:4']);
  });

  it('shows an inner entry that is the leaf', () => {
    expect(short(linesOf([-1, 0, 1, 2, 3], 2))).toEqual(['0:0', '0:1', '0:2', '0:3', '0:4']);
  });

  it('draws every entry once, cycles and several roots too', () => {
    const trees = fc.array(fc.integer({ min: -2, max: 30 }), { maxLength: 30 });
    fc.assert(
      fc.property(trees, fc.nat(29), (wishes, leaf) => {
        const parents = wishes.map((wish) => (wish < wishes.length ? wish : -1));
        const lines = linesOf(parents, parents.length > 0 ? leaf % parents.length : -1);
        const shown = lines.flatMap((line) => (line.kind === 'entry' ? [line.position] : []));
        const folded = lines.reduce((sum, line) => sum + (line.kind === 'run' ? line.count : 0), 0);
        expect(new Set(shown).size).toBe(shown.length);
        expect(shown.length + folded).toBe(parents.length);
        for (const line of lines) if (line.kind === 'run') expect(line.count).toBeGreaterThan(1);
      }),
      settings(500),
    );
  });
});
