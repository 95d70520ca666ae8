import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogIndex } from '../../src/log/log-index.ts';
import { type DrawnLine, drawnLines } from '../../src/overview/draw.ts';
import { Children } from '../../src/tree/children.ts';
import { settings } from '../support/properties.ts';

function indexOf(parents: readonly number[]): LogIndex {
  const index = new LogIndex(new Uint8Array(8));
  parents.forEach((parent, at) => {
    const parentId = parent < 0 ? null : `e${parent}`;
    index.add({ id: `e${at}`, parentId, type: 'message', role: roleOf(at), line: at + 2, offset: at, length: 1 });
  });
  index.finish();
  return index;
}

function roleOf(position: number): string {
  return position % 2 === 0 ? 'user' : 'assistant';
}

function linesOf(parents: readonly number[], leaf: number, notable: readonly number[] = []): DrawnLine[] {
  const index = indexOf(parents);
  return [...drawnLines(index, new Children(index), { leaf, notable })];
}

/** 'depth:position', '+' where it branches off, 'xN' for a run. */
function short(lines: readonly DrawnLine[]): string[] {
  return lines.map((line) =>
    line.kind === 'run'
      ? `${line.depth}:x${line.count}`
      : `${line.depth}:${line.branchesOff ? '+' : ''}${line.position}`,
  );
}

/** The same by a walk that follows the definitions, with the parents as given. */
function plainLines(given: readonly number[], leaf: number, notable: readonly number[]): DrawnLine[] {
  const parents = [...given];
  const pathOf = (start: number): number[] => {
    const path: number[] = [];
    for (let at = start; at >= 0 && !path.includes(at); at = parents[at] as number) path.push(at);
    return path;
  };
  const leafPath = leaf >= 0 ? pathOf(leaf) : [];
  // The earliest entry of a cycle hangs from nothing.
  for (let at = 0; at < parents.length; at++) {
    const path = pathOf(parents[at] as number);
    if (path.includes(at) && Math.min(...path.slice(0, path.indexOf(at) + 1)) === at) parents[at] = -1;
  }
  const childrenOf = (at: number): number[] => parents.flatMap((parent, child) => (parent === at ? [child] : []));
  const reachOf = (at: number): number => Math.max(at, ...childrenOf(at).map(reachOf));
  const onwardOf = (at: number): number => {
    const children = childrenOf(at);
    const led = children.find((child) => leafPath.includes(child) && leafPath[leafPath.indexOf(child) + 1] === at);
    return led ?? children.reduce((best, child) => (reachOf(child) > reachOf(best) ? child : best));
  };
  const lines: DrawnLine[] = [];
  const draw = (start: number, depth: number, branchesOff: boolean, isRoot: boolean): void => {
    lines.push({ kind: 'entry', position: start, depth, branchesOff, isRoot });
    let at = start;
    for (;;) {
      const children = childrenOf(at);
      if (children.length === 0) return;
      if (children.length > 1) {
        const onward = onwardOf(at);
        for (const side of children) if (side !== onward) draw(side, depth + 1, true, false);
        draw(onward, depth, false, false);
        return;
      }
      const folded: number[] = [];
      at = children[0] as number;
      for (; childrenOf(at).length === 1 && at !== leaf && !notable.includes(at); at = childrenOf(at)[0] as number)
        folded.push(at);
      if (folded.length === 1)
        lines.push({ kind: 'entry', position: folded[0] as number, depth, branchesOff: false, isRoot: false });
      else if (folded.length > 1) {
        const kinds = new Map<string, number>();
        for (const one of folded) kinds.set(roleOf(one), (kinds.get(roleOf(one)) ?? 0) + 1);
        lines.push({ kind: 'run', depth, count: folded.length, kinds });
      }
      lines.push({ kind: 'entry', position: at, depth, branchesOff: false, isRoot: false });
    }
  };
  for (let at = 0; at < parents.length; at++) if ((parents[at] as number) < 0) draw(at, 0, false, true);
  return lines;
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

  it('does not follow the leaf around a cycle', () => {
    // 0 hangs from 1 and 1 from 0, and the path to 0 comes from 1, from which two others hang.
    expect(short(linesOf([1, 0, 1, 1], 0))).toEqual(['0:0', '0:1', '1:+2', '0:3']);
  });

  it('draws what a plain walk over the tree draws', () => {
    const trees = fc.array(fc.integer({ min: -2, max: 30 }), { maxLength: 30 });
    // Long chains, as real logs have them, are rare among those.
    const logs = fc.array(
      fc.oneof({ weight: 6, arbitrary: fc.constant('before' as const) }, fc.integer({ min: -2, max: 60 })),
      {
        maxLength: 60,
      },
    );
    const parentLists = fc.oneof(
      trees,
      logs.map((choices) => choices.map((choice, at) => (choice === 'before' ? at - 1 : choice))),
    );
    fc.assert(
      fc.property(
        parentLists,
        fc.integer({ min: -1, max: 59 }),
        fc.array(fc.nat(59), { maxLength: 5 }),
        (choices, choice, marked) => {
          const parents = choices.map((parent) => (parent < choices.length ? parent : -1));
          const leaf = choice < parents.length ? choice : -1;
          const notable = marked.filter((at) => at < parents.length);
          expect(linesOf(parents, leaf, notable)).toEqual(plainLines(parents, leaf, notable));
        },
      ),
      settings(3000),
    );
  });

  it('draws every entry once, cycles and several roots too', () => {
    const trees = fc.array(fc.integer({ min: -2, max: 30 }), { maxLength: 30 });
    fc.assert(
      fc.property(trees, fc.nat(29), (choices, leaf) => {
        const parents = choices.map((choice) => (choice < choices.length ? choice : -1));
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
