import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Log } from '../../src/log/log.ts';
import type { LogEntry } from '../../src/log/log-entry.ts';
import { endReading, openSession, readSession } from '../../src/shared/open-session.ts';
import { labels } from '../../src/tree/labels.ts';
import { pathTo } from '../../src/tree/path.ts';
import { testIo } from '../support/io.ts';
import { spawnCommand } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder();
const timestamp = '2026-01-01T00:00:00.000Z';
const header = { type: 'session', version: 3, id: 'head', timestamp, cwd: '/w' };
const entry = (id: string, parentId: string | null, more: object = {}) => ({
  type: 'message',
  id,
  parentId,
  timestamp,
  ...more,
});
const user = (id: string, parentId: string | null, content = id) =>
  entry(id, parentId, { message: { role: 'user', content } });
const jsonl = (...values: readonly unknown[]): string =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');

let files = 0;
function file(content: string | Buffer): string {
  const path = join(folder, `session-${files++}.jsonl`);
  writeFileSync(path, content);
  return path;
}

async function all(session: Log, positions: Iterable<number>): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  for await (const one of session.entries(positions)) found.push(one);
  return found;
}

describe('openSession', () => {
  it('finds the entries of a file and reads them by their place', async () => {
    const path = file(jsonl(header, user('a', null, 'caf\u00e9'), '', user('b', 'a'), user('c', 'a')));
    const session = await openSession(path, testIo());
    expect([session.name, session.version, session.header]).toEqual([path, 3, header]);
    expect(session.headerLines).toEqual([1]);
    expect(session.index.size).toBe(3);
    expect(session.index.roleOf(1)).toBe('user');
    const entries = await all(session, [2, 0, 1]);
    expect(entries.map(({ position, line, value }) => [position, line, value['id']])).toEqual([
      [2, 5, 'c'],
      [0, 2, 'a'],
      [1, 4, 'b'],
    ]);
    expect(entries[1]?.text).toBe(JSON.stringify(user('a', null, 'caf\u00e9')));
    expect([...session.index.ids()]).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ]);
    await session.close();
  });

  it('reads stdin and pipes through a private copy of which nothing is left', async () => {
    // A folder of its own: other tests, which run meanwhile, make such copies in the common one.
    const temporary = mkdtempSync(join(folder, 'temporary-'));
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const session = await openSession('-', testIo(jsonl(header, user('a', null), user('b', 'a'))));
    expect(readdirSync(temporary)).toEqual([]);
    expect((await all(session, [1])).map(({ value }) => value['id'])).toEqual(['b']);
    await session.close();
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('hands lines to their entries also where they are long, many and asked for in any order', async () => {
    const long = 'x'.repeat(700_000);
    const values = Array.from({ length: 9 }, (_, at) =>
      user(`e${at}`, at === 0 ? null : `e${at - 1}`, at % 3 === 0 ? long : 'short'),
    );
    const session = await openSession(file(jsonl(header, ...values)), testIo());
    const order = [8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 4, 4];
    const found = await all(session, order);
    expect(found.map(({ position }) => position)).toEqual(order);
    for (const one of found) expect(one.value).toEqual(values[one.position]);
    await session.close();
  });

  it('leaves damaged lines out and tells them once, with line, rule and repair', async () => {
    const io = testIo();
    const path = file(jsonl(header, user('a', null), '{"type":"message","id":"b","par', user('c', 'a'), '[1]', '17'));
    const code = await readSession(path, io, async (session) => {
      expect(session.index.size).toBe(2);
      return 0;
    });
    expect(code).toBe(1);
    expect(io.notes).toEqual([
      `${path}: line 3 is damaged (torn-line) and was left out, and 2 other lines: 5 (not-an-object), 6 (not-an-object); 'sessionctl repair' fixes what can be fixed`,
    ]);
    expect(await readSession(path, testIo(), async () => 2)).toBe(2);
  });

  it('notices when it reads a line that only its envelope let in', async () => {
    const io = testIo();
    const bad = '{"type":"message","id":"b","parentId":"a","message":{"role":"user" "content":tru}}';
    const session = await openSession(file(jsonl(header, user('a', null), bad, user('c', 'b'))), io);
    expect(session.damage).toEqual([]);
    expect([...pathTo(session.index, 2)]).toEqual([0, 1, 2]);
    expect((await all(session, [0, 1, 2])).map(({ value }) => value['id'])).toEqual(['a', 'c']);
    expect(session.damage).toEqual([{ line: 3, rule: 'not-json' }]);
    await expect(session.entry(1)).rejects.toThrow(/line 3 is damaged \(not-json\).*repair/);
    expect(endReading(session, io, 0)).toBe(1);
    await session.close();
  });

  it('parses every line when a parent is not found, so that damage is not hidden', async () => {
    const bad = '{"type":"message","id":"b","parentId":"a","message":{"role":"user" "content":tru}}';
    const session = await openSession(file(jsonl(header, user('a', null), bad, user('c', 'gone'))), testIo());
    expect(session.damage).toEqual([{ line: 3, rule: 'not-json' }]);
    expect(session.index.size).toBe(2);
    await session.close();
  });

  it('takes neither headers nor a title slot for entries, but an entry of type title for one', async () => {
    const slot = { type: 'title', v: 1, title: 'Work', updatedAt: timestamp, pad: '   ' };
    const session = await openSession(
      file(jsonl(slot, header, user('a', 'head'), header, { ...entry('t', 'a'), type: 'title' })),
      testIo(),
    );
    expect(session.headerLines).toEqual([1, 2, 4]);
    expect(session.titleSlot).toEqual(slot);
    expect(session.index.size).toBe(2);
    expect([...pathTo(session.index, 1)]).toEqual([0, 1]);
    await session.close();
  });

  it('leaves out what is behind a byte order mark, header or entry, as any damaged line', async () => {
    const session = await openSession(file(`\ufeff${jsonl(header, user('a', null))}`), testIo());
    expect([session.header, session.headerLines, session.index.size]).toEqual([undefined, [], 1]);
    expect(session.damage).toEqual([{ line: 1, rule: 'byte-order-mark' }]);
    await session.close();
    const blank = await openSession(file(`\ufeff\n${jsonl(header, user('a', null))}`), testIo());
    expect([blank.header, blank.damage]).toEqual([header, [{ line: 1, rule: 'byte-order-mark' }]]);
    await blank.close();
    const bare = await openSession(file(`\ufeff${jsonl(user('a', null), user('b', null))}`), testIo());
    expect(bare.index.size).toBe(1);
    await bare.close();
  });

  it('reads a log without a header, an empty one, and one of a version to come with a warning', async () => {
    const bare = await openSession(file(jsonl(user('a', null))), testIo());
    expect([bare.header, bare.version, bare.index.size]).toEqual([undefined, 3, 1]);
    await bare.close();
    const empty = await openSession(file(''), testIo());
    expect(empty.index.size).toBe(0);
    await empty.close();
    const io = testIo();
    const path = file(jsonl({ ...header, version: 4 }, user('a', null)));
    const later = await openSession(path, io);
    expect(later.version).toBe(3);
    expect(io.notes).toEqual([`${path}: warning: version 4 is unknown; reading it as version 3`]);
    await later.close();
  });

  it('keeps an object without a type as an entry, and takes the first of two title slots', async () => {
    const slot = (title: string) => ({ type: 'title', v: 1, title, pad: '' });
    // The lost parent makes it look twice, the second time at every line.
    const session = await openSession(
      file(jsonl(slot('one'), header, slot('two'), { id: 'a', parentId: null }, user('b', 'gone'))),
      testIo(),
    );
    expect([session.index.size, session.index.typeOf(0), session.titleSlot]).toEqual([2, '', slot('one')]);
    expect(session.headerLines).toEqual([1, 2, 3]);
    await session.close();
  });

  it('brings version 1 and 2 to version 3 on the way, lines as they were numbered', async () => {
    const message = (role: string, content: string) => ({ type: 'message', timestamp, message: { role, content } });
    const compaction = { type: 'compaction', timestamp, summary: 'so far', firstKeptEntryIndex: 2, tokensBefore: 9 };
    const old = jsonl(
      { ...header, version: undefined },
      message('user', 'a'),
      message('assistant', 'b'),
      '',
      'noise',
      compaction,
      message('user', 'c'),
    );
    const first = await openSession(file(old), testIo());
    expect([first.version, first.fileVersion, first.index.size]).toEqual([3, 1, 4]);
    expect(first.damage).toEqual([{ line: 5, rule: 'not-json' }]);
    const entries = await all(first, pathTo(first.index, 3));
    expect(entries.map(({ line }) => line)).toEqual([2, 3, 6, 7]);
    expect(entries[2]?.value['firstKeptEntryId']).toBe(entries[1]?.value['id']);
    await first.close();
    const second = await openSession(
      '-',
      testIo(jsonl({ ...header, version: 2 }, entry('a', null, { message: { role: 'hookMessage', content: 'x' } }))),
    );
    expect([second.version, second.fileVersion]).toEqual([3, 2]);
    expect((await second.entry(0)).value['message']).toEqual({ role: 'custom', content: 'x' });
    await second.close();
    const glued = await openSession(
      file(
        jsonl({ ...header, version: undefined }, JSON.stringify(message('user', 'a')).repeat(2), message('user', 'b')),
      ),
      testIo(),
    );
    expect(glued.damage).toEqual([{ line: 2, rule: 'glued-entries' }]);
    await glued.close();
    const headless = await openSession(file(jsonl(message('user', 'a'), message('user', 'b'))), testIo());
    expect([headless.fileVersion, [...pathTo(headless.index, 1)]]).toEqual([1, [0, 1]]);
    await headless.close();
  });

  it('refuses what is not a session log by name, however long it is', async () => {
    await expect(openSession(file('hello\n'), testIo())).rejects.toThrow(
      /not a supported session log \(looks like plain text\)/,
    );
    await expect(openSession(file('{"a":1}\n'.repeat(1000)), testIo())).rejects.toThrow(
      /JSON Lines in an unknown format/,
    );
    await expect(openSession(folder, testIo())).rejects.toThrow(/is a folder; pass a file/);
    await expect(openSession(join(folder, 'none'), testIo())).rejects.toThrow(/no such file/);
  });

  it('gives each entry its last label, and none where the last one is empty', async () => {
    const label = (id: string, targetId: string, text?: string) => ({
      ...entry(id, null),
      type: 'label',
      targetId,
      label: text,
    });
    const log = jsonl(
      header,
      user('a', null),
      user('b', 'a'),
      label('1', 'a', 'old'),
      label('2', 'b', 'gone'),
      label('3', 'a', 'new'),
      label('4', 'b'),
    );
    const session = await openSession(file(log), testIo());
    expect([...(await labels(session))]).toEqual([[0, 'new']]);
    await session.close();
  });

  it('reads a FIFO as it reads a file', async () => {
    const path = join(folder, 'fifo');
    expect((await spawnCommand('mkfifo', [path])).code).toBe(0);
    const writer = spawnCommand('bash', ['-c', 'cat > "$0"', path], { stdin: jsonl(header, user('a', null)) });
    const session = await openSession(path, testIo());
    expect((await session.entry(0)).value['id']).toBe('a');
    await session.close();
    await writer;
  });
});
