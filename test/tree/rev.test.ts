import { describe, expect, it } from 'vitest';
import type { Log } from '../../src/log/log.ts';
import { lastEntry } from '../../src/tree/last-entry.ts';
import { hiddenWork } from '../../src/tree/path.ts';
import { resolveEntry, resolveRev } from '../../src/tree/rev.ts';
import { labelEntry, message, sessionOf } from '../support/memory-session.ts';

/** The id that a REV leads to. */
async function idOf(session: Log, rev: string): Promise<unknown> {
  return (await session.entry(await resolveEntry(session, rev))).value['id'];
}

async function errorOf(session: Log, rev: string): Promise<string> {
  try {
    await resolveRev(session, rev);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
}

/** a - b - c - d, with e and its label below b, and a second root. */
const LOG = [
  message('aaaa1111', null),
  message('bbbb2222', 'aaaa1111'),
  message('cccc3333', 'bbbb2222'),
  message('cccc4444', 'cccc3333'),
  message('-dash-id', 'bbbb2222'),
  labelEntry('eeee5555', '-dash-id', 'bbbb2222', 'start'),
  message('root', null),
  message('ffff6666', 'cccc4444'),
];

describe('resolveRev', () => {
  it('knows the fixed forms', async () => {
    const session = await sessionOf(LOG);
    const cases: Readonly<Record<string, string>> = {
      '@': 'ffff6666',
      '@~0': 'ffff6666',
      HEAD: 'ffff6666',
      'HEAD~1': 'cccc4444',
      '@~1': 'cccc4444',
      '@~4': 'aaaa1111',
      root: 'aaaa1111',
      'line:2': 'aaaa1111',
      'line:6': '-dash-id',
      'leaf:1': 'ffff6666',
      'leaf:2': 'root',
      'leaf:3': 'eeee5555',
      'id:root': 'root',
      'label:start': 'bbbb2222',
    };
    for (const [rev, id] of Object.entries(cases)) expect(await idOf(session, rev), rev).toBe(id);
    await session.close();
  });

  it('finds ids and labels, with steps behind them, and the start of an id', async () => {
    const session = await sessionOf(LOG);
    const cases: Readonly<Record<string, string>> = {
      aaaa1111: 'aaaa1111',
      '-dash-id': '-dash-id',
      start: 'bbbb2222',
      'start~1': 'aaaa1111',
      'ffff6666~2': 'cccc3333',
      'id:ffff6666~2': 'cccc3333',
      'label:start~1': 'aaaa1111',
      'leaf:3~1': '-dash-id',
      'line:5~1': 'cccc3333',
      'root~0': 'aaaa1111',
      aaaa: 'aaaa1111',
      cccc3: 'cccc3333',
      'ffff~1': 'cccc4444',
    };
    for (const [rev, id] of Object.entries(cases)) expect(await idOf(session, rev), rev).toBe(id);
    await session.close();
  });

  it('lets exact beat prefix, fixed beat names, and names with a tilde beat steps', async () => {
    const session = await sessionOf([
      message('abcd', null),
      message('abcdef', 'abcd'),
      message('abcd~1', 'abcdef'),
      message('@~1', 'abcd~1'),
      message('line:2', '@~1'),
      labelEntry('last', 'line:2', 'abcdef', 'abcd~2'),
    ]);
    expect(await idOf(session, 'abcd')).toBe('abcd');
    expect(await idOf(session, 'abcd~1')).toBe('abcd~1');
    expect(await idOf(session, 'abcd~1~1')).toBe('abcdef');
    expect(await idOf(session, 'abcd~2')).toBe('abcdef');
    expect(await idOf(session, '@~1')).toBe('line:2');
    expect(await idOf(session, 'id:@~1')).toBe('@~1');
    expect(await idOf(session, 'line:2')).toBe('abcd');
    expect(await idOf(session, 'id:line:2')).toBe('line:2');
    await session.close();
  });

  it('says what may be meant where a name is unknown', async () => {
    const session = await sessionOf(LOG);
    expect(await errorOf(session, 'aaaa1112')).toBe("-: 'aaaa1112' does not match any entry; did you mean 'aaaa1111'?");
    expect(await errorOf(session, 'AAAA1111')).toBe("-: 'AAAA1111' does not match any entry; did you mean 'aaaa1111'?");
    expect(await errorOf(session, 'strat')).toBe("-: 'strat' does not match any entry; did you mean label 'start'?");
    expect(await errorOf(session, 'aaaa1112~3')).toContain(
      "'aaaa1112~3' does not match any entry; did you mean 'aaaa1111'?",
    );
    expect(await errorOf(session, 'zz')).toContain('a prefix of an id needs at least 4 characters');
    expect(await errorOf(session, 'id:nope-nope-nope')).toMatch(
      /'id:nope-nope-nope' does not match any entry; use '@'/,
    );
    expect(await errorOf(session, 'label:nope')).toBe("-: no entry has the label 'nope'; there is 'start'");
    expect(await errorOf(session, 'label:stat')).toBe("-: no entry has the label 'stat'; did you mean 'start'?");
    expect(await errorOf(session, '')).toContain('an empty REV does not name an entry');
    await session.close();
  });

  it('lists the candidates where a name is ambiguous', async () => {
    const session = await sessionOf([
      ...LOG,
      labelEntry('gggg7777', 'ffff6666', 'aaaa1111', 'cccc3333'),
      labelEntry('gggg8888', 'gggg7777', 'ffff6666', 'twice'),
      labelEntry('gggg9999', 'gggg8888', 'cccc4444', 'twice'),
      message('same-id', 'gggg9999'),
      message('same-id', 'gggg9999'),
    ]);
    expect(await errorOf(session, 'cccc')).toBe(
      "-: 'cccc' is ambiguous; it could be 'cccc3333' (line 4), 'cccc4444' (line 5); use more characters",
    );
    expect(await errorOf(session, 'cccc3333')).toBe(
      "-: 'cccc3333' is ambiguous; it could be 'cccc3333' (line 4), 'aaaa1111' (line 2, label 'cccc3333'); use 'id:cccc3333' or 'label:cccc3333'",
    );
    expect(await idOf(session, 'label:cccc3333')).toBe('aaaa1111');
    expect(await errorOf(session, 'twice~1')).toContain(
      "'twice~1' is ambiguous; it could be 'cccc4444' (line 5, label 'twice'), 'ffff6666' (line 9, label 'twice')",
    );
    expect(await errorOf(session, 'label:twice')).toContain("use 'line:N'");
    expect(await errorOf(session, 'same-id')).toContain("'same-id' (line 13), 'same-id' (line 14)");
    expect(await errorOf(session, 'same')).toContain("'same-id' (line 13), 'same-id' (line 14)");
    await session.close();
  });

  it('lists five candidates and counts the others', async () => {
    const ids = Array.from({ length: 7 }, (_, at) => `same-${at}`);
    const session = await sessionOf([
      ...ids.map((id) => message(id, null)),
      ...ids.map((id, at) => labelEntry(`l${at}`, null, id, 'seven')),
      message('same-0', 'same-1'),
    ]);
    const listed = ids.slice(0, 5).map((id, at) => `'${id}' (line ${at === 0 ? 16 : at + 2})`);
    expect(await errorOf(session, 'same')).toBe(
      `-: 'same' is ambiguous; it could be ${listed.join(', ')}, 2 more; use more characters`,
    );
    expect(await errorOf(session, 'seven')).toMatch(/label 'seven'\), 2 more; use 'line:N'$/);
    await session.close();
  });

  it('finds the nearest of thousands of ids', async () => {
    const session = await sessionOf(
      Array.from({ length: 2500 }, (_, at) => message(`entry-${String(at).padStart(5, '0')}`, null)),
    );
    expect(await errorOf(session, 'entrx-00042')).toMatch(/did you mean 'entry-00042'/);
    await session.close();
  });

  it('counts one leaf, one entry above and several labels in their own words', async () => {
    const one = await sessionOf([message('a', null), message('b', 'a')]);
    expect(await errorOf(one, 'leaf:2')).toBe("-: there is no 'leaf:2'; the log has 1 leaf, 'leaf:1'");
    expect(await errorOf(one, '@~2')).toBe(
      "-: '@~2' goes past the root; there is 1 entry above '@', and '@~1' is the root",
    );
    expect(await errorOf(one, 'label:x')).toBe("-: no entry has the label 'x'; the log has no labels");
    await one.close();
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    const several = await sessionOf([
      ...names.map((name) => message(name, null)),
      ...names.map((name, at) => labelEntry(`l${at}`, null, name, `label-${name}`)),
    ]);
    expect(await errorOf(several, 'label:zzzzzzzzzzzzzzzzzz')).toBe(
      "-: no entry has the label 'zzzzzzzzzzzzzzzzzz'; there are 'label-one', 'label-two', 'label-three', 'label-four', 'label-five', ...",
    );
    await several.close();
  });

  it('takes no label from a label entry whose target is no id or not in the log', async () => {
    const session = await sessionOf([
      message('a', null),
      { ...labelEntry('l1', 'a', 'a', 'one'), targetId: 7 },
      labelEntry('l2', 'a', 'gone', 'two'),
      labelEntry('l3', 'a', 'a', 'three'),
      labelEntry('l4', 'a', 'gone'),
    ]);
    expect(await errorOf(session, 'label:one')).toContain("there is 'three'");
    expect(await errorOf(session, 'label:two')).toContain("there is 'three'");
    expect(await idOf(session, 'label:three')).toBe('a');
    await session.close();
  });

  it('takes an id and a label that mean the same entry for one name', async () => {
    const session = await sessionOf([message('both', null), labelEntry('x', 'both', 'both', 'both')]);
    expect(await idOf(session, 'both')).toBe('both');
    await session.close();
  });

  it('refuses to go past the root, and counts what there is', async () => {
    const session = await sessionOf(LOG);
    expect(await errorOf(session, '@~5')).toBe(
      "-: '@~5' goes past the root; there are 4 entries above '@', and '@~4' is the root",
    );
    expect(await errorOf(session, '@~99999999999999999999')).toContain("'@~99999999999999999999' goes past the root");
    expect(await errorOf(session, 'id:root~1')).toBe(
      "-: 'id:root~1' goes past the root; there are 0 entries above 'id:root'",
    );
    expect(await errorOf(session, 'leaf:0')).toBe(
      "-: there is no 'leaf:0'; the log has 3 leaves, 'leaf:1' to 'leaf:3'",
    );
    expect(await errorOf(session, 'leaf:4')).toContain("'leaf:1' to 'leaf:3'");
    await session.close();
  });

  it('refuses headers, damaged lines and lines without an entry', async () => {
    const notJson = '{"type":"message","id":"bad","parentId":"a","message":{"role":"user" "content":tru}}';
    const session = await sessionOf([message('a', null), '{"torn', message('b', 'a'), '', notJson]);
    expect(await errorOf(session, 'line:1')).toBe("-: line 1 is a header, not an entry; the nearest is 'line:2'");
    expect(await errorOf(session, 'head')).toContain("'head' is the id of the header, which is not an entry");
    expect(await errorOf(session, 'id:head')).toContain('is the id of the header');
    expect(await errorOf(session, 'line:3')).toContain('line 3 is damaged (torn-line)');
    expect(await errorOf(session, 'line:5')).toBe(
      "-: there is no entry on line 5; the nearest are 'line:4' and 'line:6'",
    );
    expect(await errorOf(session, 'line:99')).toBe("-: there is no entry on line 99; the nearest is 'line:6'");
    expect(await errorOf(session, 'bad')).toContain('line 6 is damaged (not-json)');
    expect(await idOf(session, '@')).toBe('b');
    expect(await lastEntry(session)).toBe(1);
    await session.close();
  });

  it('finds the last entry that can be read, however many behind it cannot', async () => {
    const bad = (id: string): string =>
      `{"type":"message","id":"${id}","parentId":"a","timestamp":"x","message":{"role":"user","content":[}}}`;
    for (const count of [1, 2, 6, 7, 8, 5000]) {
      const session = await sessionOf([
        message('a', null),
        message('b', 'a'),
        ...Array.from({ length: count }, (_, at) => bad(`x${at}`)),
      ]);
      expect(await lastEntry(session), String(count)).toBe(1);
      expect(session.damage).toHaveLength(count);
      await session.close();
    }
    const none = await sessionOf([bad('x'), bad('y'), bad('z')]);
    expect(await lastEntry(none)).toBe(-1);
    await none.close();
  });

  it('gives the empty context only to who can show it', async () => {
    const session = await sessionOf([message('null', null)]);
    expect(await resolveRev(session, 'null', { allowNull: true })).toBeNull();
    expect(await errorOf(session, 'null')).toContain("'id:null'");
    expect(await idOf(session, 'id:null')).toBe('null');
    await session.close();
  });

  it('has nothing to name in a log without entries', async () => {
    const session = await sessionOf([]);
    for (const rev of ['@', 'root', '@~1']) expect(await errorOf(session, rev)).toContain("has no entries, so '");
    expect(await errorOf(session, 'leaf:1')).toContain('has no leaf');
    expect(await errorOf(session, 'line:2')).toContain('the log has no entries');
    expect(await lastEntry(session)).toBe(-1);
    await session.close();
  });
});

describe('staleLeaf', () => {
  it('finds the newer work that the last entry hides', async () => {
    const session = await sessionOf([
      message('a', null),
      message('b', 'a'),
      message('c', 'b'),
      labelEntry('l', 'a', 'b', 'x'),
      labelEntry('m', 'l', 'b', 'y'),
    ]);
    expect(hiddenWork(session.index)).toBe(2);
    await session.close();
  });

  it('finds work below the last entry, which was written before it or follows an earlier copy of it', async () => {
    const [a, b, c] = [message('a', null), message('b', 'a'), message('c', 'b')];
    for (const [log, newest] of [
      [[a, c, b], 1],
      [[b, a], 0],
      [[a, b, c, a], 2],
      [[a, b, c, labelEntry('m', 'l', 'b', 'y'), labelEntry('l', 'c', 'b', 'x'), b], 4],
    ] as const) {
      const session = await sessionOf([...log]);
      expect(hiddenWork(session.index)).toBe(newest);
      await session.close();
    }
  });

  it('has nothing to say where the last entry or its branch shows something, or no message is hidden', async () => {
    for (const log of [
      [],
      [message('a', null)],
      [message('a', null), message('b', 'a'), message('c', 'a')],
      [message('a', null), message('b', 'a'), message('c', 'a'), labelEntry('l', 'c', 'b', 'x')],
      [message('a', null), labelEntry('k', 'a', 'a', 'x'), labelEntry('l', 'a', 'a', 'y')],
      [message('a', null), labelEntry('k', 'l', 'a', 'x'), labelEntry('l', 'k', 'a', 'y')],
      [message('a', null), message('b', 'a'), labelEntry('l', null, 'a', 'y')],
      [message('a', null), message('b', 'a'), message('b', 'a')],
      [message('a', 'c'), message('b', 'a'), message('c', 'b')],
      [message('c', 'b'), message('a', 'c'), message('b', 'a')],
      [message('c', 'c'), message('a', null), message('b', 'a')],
      [message('a', null), labelEntry('l', 'b', 'b', 'x'), message('b', 'a')],
    ]) {
      const session = await sessionOf(log);
      expect(hiddenWork(session.index)).toBeUndefined();
      await session.close();
    }
  });
});
