import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildContext } from '../../src/context/context.ts';
import { PROFILES } from '../../src/context/types.ts';
import { isObject, type JsonObject } from '../../src/json/value.ts';
import { settings } from '../support/properties.ts';
import { projectRoot, run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const SAME = ['--id', 'fork-1', '--timestamp', '2026-05-05T10:00:00.000Z'];
const session = (name: string): string => join(projectRoot, 'fixtures/sessions', name);

interface Read {
  readonly text: string;
  readonly value: JsonObject;
}

function entriesOf(log: string): Read[] {
  return log
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((text) => ({ text, value: JSON.parse(text) as JsonObject }))
    .filter(({ value }) => value['type'] !== 'session' && value['type'] !== 'title');
}

function headerOf(log: string): JsonObject {
  for (const line of log.split('\n')) {
    const value: unknown = JSON.parse(line);
    if (isObject(value) && value['type'] === 'session') return value;
  }
  throw new Error('no header');
}

/** The path by a plain walk, which no part of the program had a hand in. */
function pathTo(entries: readonly Read[], id: unknown): Read[] {
  const byId = new Map(entries.map((entry) => [entry.value['id'], entry]));
  const path: Read[] = [];
  for (let at = byId.get(id); at && !path.includes(at); at = byId.get(at.value['parentId'])) path.unshift(at);
  return path;
}

function contexts(path: readonly Read[]): unknown[] {
  return PROFILES.map((profile) => {
    const { messages, state } = buildContext(path, { profile });
    // Labels that were given elsewhere follow at the end, so the counts and the leaf may differ; nothing else may.
    const { counts, leafId: _, ...rest } = state;
    return { messages, state: rest, roles: counts.roles };
  });
}

/** Validates many logs in one run. */
async function expectNoErrors(logs: ReadonlyMap<string, string>): Promise<void> {
  const folder = mkdtempSync(join(scratch, 'forks-'));
  for (const [name, text] of logs) writeFileSync(join(folder, `${name}.jsonl`), text);
  const checked = await run(['validate', folder]);
  expect(checked.code, checked.stdout.slice(0, 2000)).toBe(0);
}

async function forkOf(file: string, rev: string, ...more: string[]): Promise<string> {
  const ran = await run(['fork', file, rev, ...more]);
  expect(ran.code, ran.stderr).toBe(0);
  return ran.stdout;
}

describe('sessionctl fork', () => {
  it('writes the path byte for byte under a header of its own', async () => {
    const source = readFileSync(session('pi-branches.jsonl'), 'utf8');
    const entries = entriesOf(source);
    const leaf = entries.at(-1)?.value['id'];
    const out = await forkOf(session('pi-branches.jsonl'), '@', ...SAME);
    expect(
      entriesOf(out)
        .slice(0, pathTo(entries, leaf).length)
        .map((entry) => entry.text),
    ).toEqual(pathTo(entries, leaf).map((entry) => entry.text));
    expect(headerOf(out)).toEqual({
      ...headerOf(source),
      id: 'fork-1',
      timestamp: '2026-05-05T10:00:00.000Z',
      parentSession: headerOf(source)['id'],
    });
    expect(out.endsWith('}\n')).toBe(true);
  });

  it('gives, at every entry of every healthy session, a log without errors and with the same context in every profile', async () => {
    const forks = new Map<string, string>();
    for (const name of readdirSync(join(projectRoot, 'fixtures/sessions'))) {
      const source = readFileSync(session(name), 'utf8');
      const version = headerOf(source)['version'];
      if (version !== 3) continue;
      const entries = entriesOf(source);
      for (const { value } of entries) {
        const out = await forkOf(session(name), `id:${String(value['id'])}`, ...SAME);
        const forked = entriesOf(out);
        expect(contexts(pathTo(forked, forked.at(-1)?.value['id']))).toEqual(contexts(pathTo(entries, value['id'])));
        const late = forked.slice(pathTo(entries, value['id']).length);
        expect(late.every((entry) => entry.value['type'] === 'label')).toBe(true);
        forks.set(`${name}-${String(value['id'])}`, out);
      }
    }
    await expectNoErrors(forks);
  });

  it('gives the same context in every profile for the vectors, or says why not', async () => {
    const folder = join(projectRoot, 'fixtures/vectors/context');
    let forked = 0;
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.jsonl'))) {
      const file = join(folder, name);
      const ran = await run(['fork', file, '@', ...SAME]);
      if (ran.code === 2) {
        expect(ran.stderr, name).toMatch(/no usable message|repeated on the path|version 1|no header|has no entries/);
        continue;
      }
      const source = entriesOf(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
      const out = entriesOf(ran.stdout);
      expect(contexts(pathTo(out, out.at(-1)?.value['id'])), name).toEqual(
        contexts(pathTo(source, source.at(-1)?.value['id'])),
      );
      forked++;
    }
    expect(forked).toBeGreaterThan(20);
  });

  it('renames all entries with --new-ids, and references follow', async () => {
    const file = session('pi-compaction.jsonl');
    const plain = entriesOf(await forkOf(file, '@', ...SAME));
    const renamed = entriesOf(await forkOf(file, '@', '--new-ids', ...SAME));
    const names = new Map(plain.map((entry, index) => [entry.value['id'], renamed[index]?.value['id']]));
    expect(new Set(names.values()).size).toBe(plain.length);
    plain.forEach(({ value }, index) => {
      const other = renamed[index]?.value ?? {};
      expect(other['id']).toMatch(/^[0-9a-f]{8}$/);
      expect(other['id']).not.toBe(value['id']);
      for (const key of ['parentId', 'targetId', 'firstKeptEntryId', 'fromId', 'providerReplayThroughEntryId']) {
        expect(other[key]).toBe(names.get(value[key]) ?? value[key]);
      }
      // Beside the names nothing has changed.
      let text = renamed[index]?.text ?? '';
      for (const [before, after] of names) text = text.replaceAll(String(after), String(before));
      expect(text).toBe(plain[index]?.text);
    });
    expect(plain.some(({ value }) => typeof value['firstKeptEntryId'] === 'string')).toBe(true);
    expect((await run(['validate', '-'], { stdin: await forkOf(file, '@', '--new-ids', ...SAME) })).code).toBe(0);
  });

  it('gives the same bytes in every run with --id and --timestamp, and else a new id and the time', async () => {
    const file = session('pi-branches.jsonl');
    expect(await forkOf(file, '@', '--new-ids', ...SAME)).toBe(await forkOf(file, '@', '--new-ids', ...SAME));
    const ran = await run(['fork', file, '@'], { now: () => 0, random: (bytes) => new Uint8Array(bytes).fill(255) });
    expect(headerOf(ran.stdout)).toMatchObject({
      id: 'ffffffff-ffff-4fff-bfff-ffffffffffff',
      timestamp: '1970-01-01T00:00:00.000Z',
    });
    const [one, other] = [headerOf(await forkOf(file, '@')), headerOf(await forkOf(file, '@'))];
    expect(one['id']).not.toBe(other['id']);
  });

  it('keeps a title slot of 256 bytes before the header', async () => {
    const source = readFileSync(session('omp-plan.jsonl'));
    const ran = await run(['fork', session('omp-plan.jsonl'), '@', ...SAME]);
    expect(ran.stdoutBytes.subarray(0, 256)).toEqual(source.subarray(0, 256));
    expect(ran.stdoutBytes[255]).toBe(0x0a);
    expect(headerOf(ran.stdout)).toMatchObject({ title: 'Plan the move to ESM', titleSource: 'auto' });
    const cut = source.toString('utf8').replace(/ {4}"}\n/, '"}\n');
    const other = await run(['fork', '-', '@', ...SAME], { stdin: cut });
    expect(other.stdout.startsWith('{"type":"session"')).toBe(true);
    expect(other.stderr).toContain('title slot');
  });
});

/** Logs line by line, so that spelling can be told from meaning. */
function log(...lines: (string | object)[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
}

const time = '2026-01-01T00:00:00.000Z';
const HEADER = { type: 'session', version: 3, id: 'src', timestamp: time, cwd: '/' };

function user(id: string, parentId: string | null): object {
  return { type: 'message', id, parentId, timestamp: time, message: { role: 'user', content: id } };
}

function label(id: string, parentId: string, targetId: string, text?: string): object {
  return { type: 'label', id, parentId, timestamp: time, targetId, ...(text === undefined ? {} : { label: text }) };
}

describe('the labels of a fork', () => {
  async function labelsOf(input: string, rev: string): Promise<{ lines: string[]; labels: Map<unknown, unknown> }> {
    const ran = await run(['fork', '-', rev, ...SAME], { stdin: input });
    expect(ran.code, ran.stderr).toBe(0);
    const labels = new Map<unknown, unknown>();
    for (const { value } of entriesOf(ran.stdout))
      if (value['type'] === 'label') labels.set(value['targetId'], value['label']);
    expect((await run(['validate', '-'], { stdin: ran.stdout })).code).toBe(0);
    return { lines: ran.stdout.trimEnd().split('\n').slice(1), labels };
  }

  it('stay where the label was given on another branch, and hang from the end then', async () => {
    const input = log(
      HEADER,
      user('a', null),
      user('b', 'a'),
      user('c', 'b'),
      user('d', 'a'),
      label('l', 'd', 'b', 'good'),
      label('m', 'l', 'd', 'no'),
    );
    const { lines, labels } = await labelsOf(input, 'b');
    expect([...labels]).toEqual([['b', 'good']]);
    expect(lines.at(-1)).toBe(JSON.stringify({ ...label('l', 'b', 'b', 'good') }));
  });

  it('have the last word of the file: a later name wins and a cleared one is cleared', async () => {
    const renamed = log(
      HEADER,
      user('a', null),
      label('l', 'a', 'a', 'one'),
      user('b', 'l'),
      user('c', 'b'),
      label('m', 'c', 'a', 'two'),
    );
    expect([...(await labelsOf(renamed, 'b')).labels]).toEqual([['a', 'two']]);
    const cleared = log(
      HEADER,
      user('a', null),
      label('l', 'a', 'a', 'one'),
      user('b', 'l'),
      user('c', 'b'),
      label('m', 'c', 'a'),
    );
    expect([...(await labelsOf(cleared, 'b')).labels]).toEqual([['a', undefined]]);
  });

  it('are not repeated where the path has them already', async () => {
    const input = log(
      HEADER,
      user('a', null),
      label('l', 'a', 'a', 'one'),
      user('b', 'l'),
      user('c', 'b'),
      label('m', 'c', 'a', 'one'),
    );
    expect((await labelsOf(input, 'b')).lines).toHaveLength(3);
  });
});

describe('what a fork does with odd sources', () => {
  it('keeps spelling: numbers, escapes, key order, unknown fields, carriage returns', async () => {
    const header =
      '{"id":"src","big":12345678901234567890,"version":3,"type":"session","timestamp":"x","cwd":"\\u002f","é":1.0}\r';
    const entry =
      '{"x":1e3,"message":{"role":"user","content":"\\u00e9 é"},"type":"message","id":"a","parentId":null,"timestamp":"t"}\r';
    const ran = await run(['fork', '-', 'a'.padEnd(1), ...SAME], { stdin: log(header, entry) });
    expect(ran.stdout).toBe(
      log(
        '{"id":"fork-1","big":12345678901234567890,"version":3,"type":"session","timestamp":"2026-05-05T10:00:00.000Z","cwd":"\\u002f","é":1.0,"parentSession":"src"}\r',
        entry,
      ),
    );
  });

  it('sets parentSession in its place where the source is a fork itself', async () => {
    const ran = await run(['fork', '-', '@', ...SAME], {
      stdin: log({ ...HEADER, parentSession: 'older', title: 'T' }, user('a', null)),
    });
    expect(ran.stdout.split('\n')[0]).toContain('"parentSession":"src","title":"T"}');
  });

  it('lets a root that hangs from the header hang from the new one', async () => {
    const ran = await run(['fork', '-', '@', ...SAME], { stdin: log(HEADER, user('a', 'src'), user('b', 'a')) });
    expect(entriesOf(ran.stdout).map(({ value }) => value['parentId'])).toEqual(['fork-1', 'a']);
  });

  it('starts where the path starts, and says so, when a parent is missing', async () => {
    const ran = await run(['fork', '-', '@', ...SAME], { stdin: log(HEADER, user('a', 'gone'), user('b', 'a')) });
    expect(entriesOf(ran.stdout).map(({ value }) => value['parentId'])).toEqual([null, 'a']);
    expect(ran.stderr).toContain("parent 'gone' of line 2 is not in the file");
    expect((await run(['validate', '-'], { stdin: ran.stdout })).code).toBe(0);
  });

  it('reads version 2 and writes version 3', async () => {
    const ran = await run(['fork', session('pi-version-2.jsonl'), '@', ...SAME]);
    expect(ran.code).toBe(0);
    expect(headerOf(ran.stdout)['version']).toBe(3);
    expect(ran.stdout).not.toContain('hookMessage');
    expect((await run(['validate', '-'], { stdin: ran.stdout })).code).toBe(0);
  });

  it.each([
    ['a log of version 1', readFileSync(session('pi-version-1.jsonl'), 'utf8'), '@', /version 1.*sessionctl migrate/],
    ['a log without a header', log(user('a', null)), '@', /no header with an id.*sessionctl repair/],
    [
      'ids that are repeated on the path',
      log(HEADER, user('a', null), user('b', 'a'), user('a', 'b'), user('c', 'a')),
      'line:3',
      /repeated/,
    ],
    ['a REV that is not there', log(HEADER, user('a', null)), 'nowhere', /'nowhere' does not match any entry/],
    ['the empty context', log(HEADER, user('a', null)), 'null', /empty context/],
    [
      'a damaged line on the path',
      log(
        HEADER,
        user('a', null),
        '{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"user","content":tru}}',
        user('c', 'b'),
      ),
      'c',
      /line 3, which is on the path, is damaged|parent/,
    ],
    [
      'an entry without an id',
      log(HEADER, '{"type":"message","parentId":null,"message":{"role":"user"}}'),
      'line:2',
      /line 2.* id.*repair/,
    ],
    ['an entry with an empty id', log(HEADER, user('', null)), '@', /line 2.* id.*repair/],
    [
      'an entry without a parentId',
      log(HEADER, '{"type":"custom","id":"a"}', user('b', 'a')),
      'b',
      /line 2.* parentId.*repair/,
    ],
    [
      'an entry without a type',
      log(HEADER, '{"type":7,"id":"a","parentId":null}', user('b', 'a')),
      'b',
      /line 2.* type.*repair/,
    ],
    [
      'a message entry without a message',
      log(HEADER, '{"type":"message","id":"a","parentId":null}'),
      'a',
      /line 2.* message.*repair/,
    ],
    [
      'a message without a role',
      log(HEADER, '{"type":"message","id":"a","parentId":null,"message":{}}'),
      'a',
      /line 2.* message\.role.*repair/,
    ],
  ])('refuses %s and writes nothing', async (_, input, rev, message) => {
    const ran = await run(['fork', '-', rev, ...SAME], { stdin: input });
    expect(ran.code).toBe(2);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toMatch(message);
  });

  it('leaves a damaged line off the path out, says so and exits 1', async () => {
    const ran = await run(['fork', '-', 'b', ...SAME], {
      stdin: log(HEADER, user('a', null), '{"type":"mess', user('b', 'a')),
    });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('line 3 is damaged (torn-line)');
    expect(entriesOf(ran.stdout)).toHaveLength(2);
  });

  it.each([
    [['fork', 'f.jsonl'], 'needs a FILE and a REV'],
    [['fork'], 'needs a FILE and a REV'],
    [['fork', 'f.jsonl', 'a', 'b'], "unexpected 'b'"],
    [['fork', session('pi-branches.jsonl'), '@', '--id', ''], '--id is empty'],
    [
      ['fork', session('pi-branches.jsonl'), '@', '--id', '57a3af4e-d1fb-48c0-aa34-05151c48b786'],
      'the id of the source',
    ],
    [['fork', session('pi-branches.jsonl'), '@', '--timestamp', 'yesterday'], "not 'yesterday'"],
  ])('refuses the call %j', async (argv, message) => {
    const ran = await run(argv as string[]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(message);
  });

  it('takes any log apart into forks that validate, whatever the tree', async () => {
    const shape = fc.array(
      fc.record({ parent: fc.nat(), kind: fc.constantFrom('user', 'label', 'compaction', 'branch'), ref: fc.nat() }),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    const forks = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(shape, fc.nat(), fc.boolean(), async (steps, which, renames) => {
        const lines: object[] = [HEADER];
        steps.forEach((step, index) => {
          const id = `e${index}`;
          const parentId = index === 0 || step.parent % (index + 2) === index + 1 ? null : `e${step.parent % index}`;
          const ref = `e${step.ref % (index + 1)}`;
          if (step.kind === 'label')
            lines.push({ ...label(id, '', ref, step.ref % 3 === 0 ? undefined : 'x'), parentId });
          else if (step.kind === 'compaction')
            lines.push({
              type: 'compaction',
              id,
              parentId,
              timestamp: time,
              summary: 's',
              firstKeptEntryId: ref,
              tokensBefore: 1,
            });
          else if (step.kind === 'branch')
            lines.push({ type: 'branch_summary', id, parentId, timestamp: time, summary: 's', fromId: ref });
          else lines.push(user(id, parentId));
        });
        const input = log(...lines);
        const target = `e${which % steps.length}`;
        const ran = await run(['fork', '-', target, ...SAME, ...(renames ? ['--new-ids'] : [])], { stdin: input });
        expect(ran.code, ran.stderr).toBe(0);
        forks.set(`f${forks.size}`, ran.stdout);
        if (renames) return;
        const forked = entriesOf(ran.stdout);
        const all = entriesOf(input);
        expect(contexts(pathTo(forked, forked.at(-1)?.value['id']))).toEqual(contexts(pathTo(all, target)));
      }),
      settings(100),
    );
    await expectNoErrors(forks);
  });
});

describe('where a fork goes', () => {
  it('is a new file that nobody may read who may not read the source, which stays as it was', async () => {
    const source = join(scratch, 'source.jsonl');
    const target = join(scratch, 'target.jsonl');
    writeFileSync(source, readFileSync(session('pi-branches.jsonl')), { mode: 0o600 });
    const before = statSync(source);
    const ran = await run(['fork', source, '@', '-o', target, ...SAME]);
    expect([ran.code, ran.stdout]).toEqual([0, '']);
    expect(readFileSync(target, 'utf8')).toBe(await forkOf(source, '@', ...SAME));
    expect(statSync(target).mode & 0o077).toBe(0);
    expect(statSync(source).mtimeMs).toBe(before.mtimeMs);
    expect(readFileSync(source)).toEqual(readFileSync(session('pi-branches.jsonl')));
  });

  it('is never the source itself, and nothing at all where the source is refused', async () => {
    const source = join(scratch, 'itself.jsonl');
    writeFileSync(source, readFileSync(session('pi-branches.jsonl')));
    expect(await run(['fork', source, '@', '-o', source])).toMatchObject({
      code: 2,
      stderr: `sessionctl: ${source}: is the input file itself; choose another file with -o\n`,
    });
    expect(readFileSync(source)).toEqual(readFileSync(session('pi-branches.jsonl')));
    const target = join(scratch, 'never.jsonl');
    expect((await run(['fork', source, 'nowhere', '-o', target])).code).toBe(2);
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(scratch).filter((name) => basename(name).includes('tmp'))).toEqual([]);
  });

  it('can be a pipe, as a process of its own', async () => {
    const ran = await spawnProgram(['fork', session('pi-branches.jsonl'), 'root', ...SAME]);
    expect([ran.code, ran.stdout.split('\n').length]).toEqual([0, 3]);
    const piped = await spawnCommand(
      'bash',
      [
        '-c',
        'cat "$1" | "$0" bin/sessionctl.js fork - @ --id x | "$0" bin/sessionctl.js validate -',
        process.execPath,
        session('omp-plan.jsonl'),
      ],
      { cwd: projectRoot },
    );
    expect(piped.code, piped.stdout).toBe(0);
  });
});
