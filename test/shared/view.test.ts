import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder();
const timestamp = '2026-01-01T00:00:00.000Z';
const header = { type: 'session', version: 3, id: 'head', timestamp, cwd: '/w' };
const user = (id: string, parentId: string | null): object => ({
  type: 'message',
  id,
  parentId,
  timestamp,
  message: { role: 'user', content: `said ${id}` },
});
const label = (id: string, parentId: string): object => ({
  type: 'label',
  id,
  parentId,
  timestamp,
  targetId: parentId,
  label: 'x',
});

let files = 0;
function log(...entries: readonly object[]): string {
  const path = join(folder, `session-${files++}.jsonl`);
  writeFileSync(path, [header, ...entries].map((value) => `${JSON.stringify(value)}\n`).join(''));
  return path;
}

const calls = (file: string): string[][] => [
  ['log', file],
  ['log', '--json', '-n', '1', file],
  ['context', file],
  ['context', '--state', file],
  ['context', '--explain', '--profile', 'pi', file],
  ['export', file],
  ['export', '-f', 'html', file],
  ['fork', file, '@'],
  ['diff', file, '@~1', '@'],
];

describe('a view whose path is cut off', () => {
  const lost = (): string => log(user('a', null), user('b', 'a'), user('c', 'gone'), user('d', 'c'));

  it('says how much it shows and what shows the rest, in one line, and exits 1', async () => {
    const file = lost();
    for (const argv of calls(file)) {
      const ran = await run(argv);
      const rev = argv[0] === 'fork' || argv[0] === 'diff' ? "REV 'line:3'" : "'--leaf line:3'";
      expect({ argv, code: ran.code, stderr: ran.stderr }).toEqual({
        argv,
        code: 1,
        stderr:
          `sessionctl: ${file}: the path has 2 of 4 entries, because the parent of line 4 is not in the file; ` +
          `${rev} shows what is before it, 'sessionctl repair' reconnects it\n`,
      });
      expect(ran.stdout).not.toBe('');
    }
  });

  it('says so for the REV that was asked for, and not for a whole path', async () => {
    const file = lost();
    expect(await run(['log', '--leaf', 'c', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has 1 of 4 entries'),
    });
    expect(await run(['log', '--leaf', 'line:3', file])).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['context', '--leaf', 'null', file])).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['export', '--all', file])).toMatchObject({ code: 0, stderr: '' });
  });

  it('says so where the path runs in a circle', async () => {
    const file = log(user('a', null), user('b', 'a'), user('c', 'd'), user('d', 'c'));
    const ran = await run(['log', file]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe(
      `sessionctl: ${file}: the path has 2 of 4 entries, because the parents of line 4 form a cycle; ` +
        `'--leaf line:3' shows what is before it, 'sessionctl repair' reconnects it\n`,
    );
    const own = log(user('a', null), user('b', 'b'));
    expect((await run(['context', own])).stderr).toContain("the parents of line 3 form a cycle; '--leaf line:2'");
  });

  it('leaves a diff that found no difference with exit 1, and tells of each session', async () => {
    const file = lost();
    const other = lost();
    const ran = await run(['diff', file, '--against', other]);
    expect(ran.code).toBe(1);
    expect(ran.stderr.split('\n').filter((line) => line.includes('has 2 of 4 entries'))).toHaveLength(2);
    const below = log(user('a', null), user('c', 'gone'), user('d', 'c'), user('e', 'c'));
    expect((await run(['diff', below])).stderr.match(/has 2 of 4 entries/g)).toHaveLength(1);
  });

  it('is reported by tree for any branch', async () => {
    const file = log(user('a', null), user('b', 'a'), user('c', 'gone'), user('d', 'gone too'), user('e', 'b'));
    for (const argv of [['tree'], ['tree', '--leaves'], ['tree', '--json']]) {
      const ran = await run([...argv, file]);
      expect({ argv, code: ran.code, stderr: ran.stderr }).toEqual({
        argv,
        code: 1,
        stderr: `sessionctl: ${file}: 2 branches (lines 4, 5) are cut off from the tree by missing or circular parents; 'sessionctl repair' reconnects them\n`,
      });
    }
    expect((await run(['tree', lost()])).stderr).toContain(
      '1 branch (line 4) is cut off from the tree by a missing or circular parent;',
    );
    expect((await run(['log', file])).code).toBe(0);
  });
});

describe('a view of a path that reaches its root', () => {
  const whole = [
    ['one branch of several', () => log(user('a', null), user('b', 'a'), user('c', 'a'), user('d', 'c'))],
    ['one root of several', () => log(user('a', null), user('b', 'a'), user('c', null), user('d', 'c'))],
    ['a root below the header', () => log(user('a', null), user('b', 'a'), user('c', 'head'), user('d', 'c'))],
    ['all there is below a parent that is missing', () => log(user('c', 'gone'), user('d', 'c'))],
  ] as const;

  it.each(whole)('says nothing and exits 0: %s', async (_, file) => {
    for (const argv of [...calls(file()), ['tree', file()]]) {
      if (argv[0] === 'diff' || argv[0] === 'fork') continue;
      const { code, stderr } = await run(argv);
      expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: '' });
    }
  });
});

describe('a view of a stale leaf', () => {
  const stale = (): string => log(user('a', null), user('b', 'a'), label('c', 'a'));

  it('names the newer work, and exits 0', async () => {
    const file = stale();
    const views = [
      ...calls(file).filter(([name]) => name !== 'diff'),
      ['tree', file],
      ['tree', '--leaves', file],
      ['log', '--leaf', '@', file],
    ];
    for (const argv of views) {
      const { code, stderr } = await run(argv);
      const rev = argv[0] === 'fork' ? "REV 'line:3'" : "'--leaf line:3'";
      expect({ argv, code, stderr }).toEqual({
        argv,
        code: 0,
        stderr: `sessionctl: ${file}: the last entry is a stale leaf and newer work is on another branch; ${rev} shows it\n`,
      });
    }
  });

  it('says nothing where another entry is looked at, or all of them', async () => {
    const file = stale();
    for (const argv of [
      ['log', '--leaf', 'line:3'],
      ['tree', '--leaf', 'line:3'],
      ['export', '--all'],
    ]) {
      expect(await run([...argv, file])).toMatchObject({ code: 0, stderr: '' });
    }
  });
});
