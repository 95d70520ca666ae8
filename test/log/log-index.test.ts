import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  entryRanges,
  HEADER_PARENT,
  LogIndex,
  MISSING_PARENT,
  NO_PARENT,
  NOT_FOUND,
  UNKNOWN_PARENT,
} from '../../src/log/log-index.ts';
import { INDEX_BYTES } from '../../src/shared/command.ts';
import { Children, cycles } from '../../src/tree/children.ts';
import { commonAncestor, leaves, pathTo } from '../../src/tree/path.ts';
import { settings } from '../support/properties.ts';

const key = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);

type Pair = readonly [id: string | undefined, parentId: string | null | undefined];

function indexOf(pairs: readonly Pair[], headerId?: string): LogIndex {
  const index = new LogIndex(key);
  if (headerId !== undefined) index.addHeader(headerId);
  pairs.forEach(([id, parentId], at) => {
    index.add({ id, parentId, type: 'message', line: at + 2, offset: at * 100, length: 99 });
  });
  index.finish();
  return index;
}

/** What an index should say, by looking through a plain list. */
function parentByHand(pairs: readonly Pair[], at: number): number {
  const parentId = pairs[at]?.[1];
  if (parentId === null || parentId === undefined || parentId === '') return NO_PARENT;
  for (let before = at - 1; before >= 0; before--) if (pairs[before]?.[0] === parentId) return before;
  const first = pairs.findIndex(([id]) => id === parentId);
  return first < 0 ? MISSING_PARENT : first;
}

const ids = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const logs = fc.array(fc.tuple(fc.option(ids, { nil: undefined, freq: 8 }), fc.option(ids, { freq: 6 })), {
  maxLength: 40,
});

describe('LogIndex', () => {
  it('resolves parents, references and repeated ids as a plain list does', () => {
    fc.assert(
      fc.property(logs, (pairs) => {
        const index = indexOf(pairs);
        expect(index.size).toBe(pairs.length);
        pairs.forEach(([id], at) => {
          const parent = parentByHand(pairs, at);
          expect(index.parentOf(at)).toBe(parent);
          const lastOfParent = parent < 0 ? parent : pairs.findLastIndex(([other]) => other === pairs[parent]?.[0]);
          expect(index.parentOf(at, 'last')).toBe(lastOfParent);
          expect(index.hasId(at)).toBe(id !== undefined);
          expect(index.idOf(at)).toBe(id);
          if (id === undefined) return;
          expect(index.find(id)).toBe(pairs.findLastIndex(([other]) => other === id));
          expect(index.definitions(id)).toEqual(pairs.flatMap(([other], position) => (other === id ? [position] : [])));
          expect(index.repeatsId(at)).toBe(pairs.findIndex(([other]) => other === id) < at);
          for (let from = 0; from < pairs.length; from++) {
            const before = pairs.findLastIndex(([other], position) => other === id && position < from);
            const after = pairs.findIndex(([other], position) => other === id && position > from);
            expect(index.resolve(id, from)).toBe(before >= 0 ? before : after >= 0 ? after : from);
          }
        });
        expect(index.missingParents).toBe(pairs.filter((_, at) => parentByHand(pairs, at) === MISSING_PARENT).length);
        expect(index.forwardParents).toBe(pairs.filter((_, at) => parentByHand(pairs, at) >= at).length);
      }),
      settings(300),
    );
  });

  it('finds the earliest entry of every cycle, and roots from which every entry is reached once', () => {
    fc.assert(
      fc.property(logs, (pairs) => {
        const index = indexOf(pairs);
        const expected = new Set<number>();
        pairs.forEach((_, start) => {
          const walked: number[] = [];
          let at = start;
          while (at >= 0 && !walked.includes(at)) {
            walked.push(at);
            at = index.parentOf(at);
          }
          if (at >= 0) expected.add(Math.min(...walked.slice(walked.indexOf(at))));
        });
        expect(cycles(index)).toEqual([...expected].sort((a, b) => a - b));
        const children = new Children(index);
        const reached: number[] = [];
        const todo = [...children.roots];
        for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
          reached.push(at);
          const below = [...children.of(at)];
          expect(below.length).toBe(children.count(at));
          expect(below).toEqual([...below].sort((a, b) => a - b));
          todo.push(...below);
        }
        expect(reached.sort((a, b) => a - b)).toEqual(pairs.map((_, at) => at));
      }),
      settings(300),
    );
  });

  it('tells a parent that is not yet there from one that never comes, and knows the header', () => {
    const index = new LogIndex(key);
    index.addHeader('head');
    index.add({ id: 'a', parentId: 'head', type: 'message', line: 2, offset: 0, length: 1 });
    index.add({ id: 'b', parentId: 'later', type: 'message', line: 3, offset: 2, length: 1 });
    index.add({ id: 'c', parentId: 'never', type: 'message', line: 4, offset: 4, length: 1 });
    expect([0, 1, 2].map((at) => index.parentOf(at))).toEqual([UNKNOWN_PARENT, UNKNOWN_PARENT, UNKNOWN_PARENT]);
    index.add({ id: 'later', parentId: 'late header', type: 'message', line: 5, offset: 6, length: 1 });
    index.addHeader('late header');
    index.finish();
    expect([0, 1, 2, 3].map((at) => index.parentOf(at))).toEqual([HEADER_PARENT, 3, MISSING_PARENT, HEADER_PARENT]);
    expect(index.missingParents).toBe(1);
  });

  it('takes the parent that the order of the entries tells, where they name none', () => {
    const index = new LogIndex(key);
    for (const at of [0, 1, 2])
      index.add({
        id: undefined,
        parentId: null,
        parent: at - 1,
        type: 'message',
        line: at + 2,
        offset: at * 2,
        length: 1,
      });
    index.finish();
    expect([0, 1, 2].map((at) => index.parentOf(at))).toEqual([NO_PARENT, 0, 1]);
  });

  it('keeps types, roles, lines, offsets beyond 32 bits, lengths and flags', () => {
    const index = new LogIndex(key);
    const far = 5 * 2 ** 32 + 12345;
    const position = index.add({
      id: 'a',
      parentId: null,
      type: 'odd',
      role: 'user',
      line: 7,
      offset: far,
      length: 2 ** 31,
      flags: 0x1a,
    });
    index.add({ id: undefined, parentId: null, type: '', line: 9, offset: far + 2 ** 31 + 1, length: 3, flags: 0xff });
    index.finish();
    expect(index.typeOf(position)).toBe('odd');
    expect(index.roleOf(position)).toBe('user');
    expect(index.lineOf(position)).toBe(7);
    expect(index.offsetOf(position)).toBe(far);
    expect(index.lengthOf(position)).toBe(2 ** 31);
    expect(index.flagsOf(position)).toBe(0x1a);
    expect([index.flagsOf(1), index.hasId(1), index.repeatsId(1), index.typeOf(1), index.roleOf(1)]).toEqual([
      0x3f,
      false,
      false,
      '',
      '',
    ]);
    expect([index.atLine(7), index.atLine(8), index.atLine(9), index.atLine(10)]).toEqual([0, NOT_FOUND, 1, NOT_FOUND]);
  });

  it('knows the type of an entry however many roles there are, and the role however many types', () => {
    const index = new LogIndex(key);
    const entry = { parentId: null, line: 1, offset: 0, length: 1 };
    for (let at = 0; at < 200; at++) index.add({ ...entry, id: `r${at}`, type: 'message', role: `role ${at}` });
    for (let at = 0; at < 200; at++) index.add({ ...entry, id: `t${at}`, type: `type ${at}`, role: 'user' });
    const position = index.add({ ...entry, id: 'c', type: 'message', role: 'user' });
    expect([index.typeOf(position), index.roleOf(position)]).toEqual(['message', 'user']);
    expect([index.typeOf(399), index.roleOf(199)]).toEqual(['type 199', 'role 199']);
  });

  it('holds 300,000 entries in the bytes that the help speaks of, with any number of different types', () => {
    const before = process.memoryUsage().arrayBuffers;
    const index = new LogIndex(key);
    const size = 300_000;
    for (let at = 0; at < size; at++) {
      const type = at % 3 === 0 ? `type ${at}` : 'message';
      const parentId = at === 0 ? null : (at - 1).toString(16);
      index.add({ id: at.toString(16), parentId, type, line: at + 1, offset: at * 80, length: 79 });
    }
    index.finish();
    expect((process.memoryUsage().arrayBuffers - before) / size).toBeLessThanOrEqual(INDEX_BYTES);
    for (let at = 1; at < size; at += 997) {
      expect(index.find(at.toString(16))).toBe(at);
      expect(index.parentOf(at)).toBe(at - 1);
    }
    expect([index.typeOf(1), index.typeOf(3), index.typeOf(299_997)]).toEqual(['message', 'type 3', '']);
  });

  it('takes the same from bytes as from strings', () => {
    const words = fc.constantFrom('message', 'a', 'ab', 'abc', 'abcd', 'abcde', '', 'label', '0123456789abcdef0');
    const entries = fc.array(fc.record({ id: words, parentId: fc.option(words), role: words }), { maxLength: 30 });
    fc.assert(
      fc.property(entries, (all) => {
        const byText = new LogIndex(key);
        const byBytes = new LogIndex(key);
        byText.addHeader('abcd');
        byBytes.addHeader('abcd');
        all.forEach((entry, at) => {
          const place = { line: at, offset: at, length: 1 };
          byText.add({ ...entry, type: 'message', ...place });
          const bytes = Buffer.from(`${entry.id}${entry.parentId ?? ''}`);
          byBytes.addRanges({
            ...entryRanges(),
            ...place,
            bytes,
            idLength: entry.id.length,
            parentStart: entry.id.length,
            parentLength: entry.parentId?.length ?? -1,
            type: byBytes.typeCode('message'),
            role: byBytes.roleCode(entry.role),
          });
        });
        byText.finish();
        byBytes.finish();
        const facts = (index: LogIndex) =>
          all.map((_, at) => [
            index.parentOf(at),
            index.typeOf(at),
            index.roleOf(at),
            index.idOf(at),
            index.repeatsId(at),
          ]);
        expect(facts(byBytes)).toEqual(facts(byText));
        expect(byBytes.missingParents).toBe(byText.missingParents);
        expect(byBytes.forwardParents).toBe(byText.forwardParents);
      }),
      settings(300),
    );
  });

  it('spreads ids that a short-sighted hash would put together', () => {
    const index = new LogIndex(key);
    for (let at = 0; at < 20_000; at++)
      index.add({ id: `${' '.repeat(at % 50)}${at}`, parentId: null, type: 'x', line: 1, offset: 0, length: 0 });
    expect(index.repeatedIds).toBe(0);
    // The same characters as one wide and two narrow ones are different ids.
    index.add({ id: '\u6161', parentId: null, type: 'x', line: 1, offset: 0, length: 0 });
    expect(index.find('aa')).toBe(NOT_FOUND);
    expect(index.find('\u6161')).toBe(20_000);
  });
});

describe('paths', () => {
  it('goes from the root to the entry, in both meanings of a repeated id', () => {
    const index = indexOf([
      ['a', null],
      ['b', 'a'],
      ['c', 'b'],
      ['b', 'a'],
      ['d', 'c'],
    ]);
    expect(pathTo(index, 4)).toEqual(Int32Array.of(0, 1, 2, 4));
    expect(pathTo(index, 4, 'last')).toEqual(Int32Array.of(0, 3, 2, 4));
  });

  it('ends at a parent that is not there, at an empty one, and at an id met before', () => {
    expect(
      pathTo(
        indexOf([
          ['a', 'gone'],
          ['b', 'a'],
        ]),
        1,
      ),
    ).toEqual(Int32Array.of(0, 1));
    expect(
      pathTo(
        indexOf([
          ['a', ''],
          ['b', 'a'],
        ]),
        1,
      ),
    ).toEqual(Int32Array.of(0, 1));
    expect(
      pathTo(
        indexOf(
          [
            ['a', 'head'],
            ['b', 'a'],
          ],
          'head',
        ),
        1,
      ),
    ).toEqual(Int32Array.of(0, 1));
    expect(
      pathTo(
        indexOf([
          ['a', 'a'],
          ['b', 'a'],
        ]),
        1,
      ),
    ).toEqual(Int32Array.of(0, 1));
    expect(
      pathTo(
        indexOf([
          ['a', 'c'],
          ['b', 'a'],
          ['c', 'b'],
        ]),
        1,
      ),
    ).toEqual(Int32Array.of(2, 0, 1));
    const repeated = indexOf([
      ['a', null],
      ['b', 'a'],
      ['a', 'b'],
    ]);
    expect(pathTo(repeated, 2)).toEqual(Int32Array.of(1, 2));
    expect(pathTo(repeated, 2, 'last')).toEqual(Int32Array.of(1, 2));
  });

  it('lists the leaves and finds where two branches part', () => {
    const index = indexOf([
      ['a', null],
      ['b', 'a'],
      ['c', 'a'],
      ['d', 'b'],
      ['lone', null],
    ]);
    expect(leaves(index)).toEqual([2, 3, 4]);
    expect(commonAncestor(index, 3, 2)).toBe(0);
    expect(commonAncestor(index, 3, 1)).toBe(1);
    expect(commonAncestor(index, 3, 4)).toBe(-1);
  });

  it('walks a chain of 200,000 entries and 50,000 branches from one of them', () => {
    const index = new LogIndex(key);
    const chain = 200_000;
    const base = { type: 'message', line: 1, offset: 0, length: 0 };
    for (let at = 0; at < chain; at++) index.add({ ...base, id: `c${at}`, parentId: at === 0 ? null : `c${at - 1}` });
    for (let at = 0; at < 50_000; at++) index.add({ ...base, id: `b${at}`, parentId: 'c7' });
    index.finish();
    expect(pathTo(index, chain - 1).length).toBe(chain);
    expect(leaves(index).length).toBe(50_001);
    const children = new Children(index);
    expect(children.count(7)).toBe(50_001);
    expect([...children.roots]).toEqual([0]);
  });

  it('finds one large cycle in linear time', () => {
    const index = new LogIndex(key);
    const size = 200_000;
    const base = { type: 'message', line: 1, offset: 0, length: 0 };
    for (let at = 0; at < size; at++) index.add({ ...base, id: `c${at}`, parentId: `c${(at + 1) % size}` });
    index.finish();
    expect(cycles(index)).toEqual([0]);
    expect(pathTo(index, 5).length).toBe(size);
    expect([...new Children(index).roots]).toEqual([0]);
  });
});
