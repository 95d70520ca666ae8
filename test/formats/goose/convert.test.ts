import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/files/sqlite.ts';
import { goose } from '../../../src/formats/goose/index.ts';
import { logSource } from '../../../src/log/open-log.ts';
import { version } from '../../../src/util/version.ts';
import { makeDatabase } from '../../support/database.ts';
import { type GooseSession, gooseDatabase } from '../../support/goose-database.ts';
import { memorySource, type NativeText, nativeTextOf, nativeTextOfFile } from '../../support/native-form.ts';
import { settings } from '../../support/properties.ts';
import { projectRoot, run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

type Json = Record<string, unknown>;

const folder = join(projectRoot, 'fixtures/formats/goose');
const scratch = scratchFolder();
const files = readdirSync(folder)
  .filter((name) => /(?<!\.native)\.jsonl?$/.test(name))
  .sort();
const exported = (name: string): GooseSession => JSON.parse(readFileSync(join(folder, name), 'utf8')) as GooseSession;
const entriesOf = ({ lines }: Pick<NativeText, 'lines'>): Json[] => lines.map((line) => JSON.parse(line) as Json);
const messagesOf = (native: NativeText): Json[] =>
  entriesOf(native).flatMap(({ message }) => (message ? [message as Json] : []));
const sum = ({ mapped, merged, custom, dropped }: NativeText['report']['counts']): number =>
  mapped + merged + custom + dropped;
const codes = (native: NativeText): Json =>
  Object.fromEntries(native.report.losses.map(({ code, count }) => [code, count]));

async function fromDatabase(path: string, options: Parameters<typeof nativeTextOf>[2] = {}): Promise<NativeText> {
  const store = await openDatabase('sessions.db', { path }, new AbortController().signal);
  try {
    return await nativeTextOf(
      goose,
      logSource(store, { name: '-', random: (count) => new Uint8Array(count) }),
      options,
    );
  } finally {
    await store.close();
  }
}

describe('a Goose session in its native form', () => {
  it.each(files)('is the one beside it, twice the same, and every record is accounted for: %s', async (name) => {
    const path = join(folder, name);
    const native = await nativeTextOfFile(goose, path);
    const text = `${native.lines.join('\n')}\n`.replace(`"toolVersion":"${version}"`, '"toolVersion":"0"');
    await expect(text).toMatchFileSnapshot(path.replace(/\.jsonl?$/, '.native.jsonl'));
    expect(await nativeTextOfFile(goose, path)).toEqual(native);
    const { counts } = native.report;
    const records = name.endsWith('.json') ? 1 + exported(name).conversation.length : 5;
    expect(counts.records).toBe(records);
    expect(sum(counts)).toBe(records);
    expect(native.leftOut).toEqual([]);
  });

  it.each(files)('validates without an error in both dialects: %s', async (name) => {
    for (const dialect of ['pi', 'omp'] as const) {
      const { lines } = await nativeTextOfFile(goose, join(folder, name), { dialect });
      const path = join(scratch, 'native.jsonl');
      writeFileSync(path, `${lines.join('\n')}\n`);
      const { stdout } = await run(['validate', '--format', 'json', path]);
      const found = stdout.split('\n').filter((line) => line !== '');
      expect(found.map((line) => JSON.parse(line) as Json).filter(({ severity }) => severity === 'error')).toEqual([]);
    }
  });

  it('says what the agent, the tools and the user said, and what was lost', async () => {
    const native = await nativeTextOfFile(goose, join(folder, 'tools.json'));
    expect(messagesOf(native).map(({ role }) => role)).toEqual(
      'user assistant toolResult toolResult assistant toolResult assistant'.split(' '),
    );
    expect(codes(native)).toEqual({ AUDIENCE: 1, DUP_RESULT: 1, MODEL_SESSION_LEVEL: 1, USAGE_UNKNOWN: 3 });
    expect(native.lines.join('\n')).toContain('"big":12345678901234567890');
    expect(native.report.counts).toEqual({ records: 10, mapped: 6, merged: 1, custom: 3, dropped: 0 });
  });

  it('has the compactions that hide messages, and a message that Goose repeats behind one only once', async () => {
    const native = await nativeTextOfFile(goose, join(folder, 'compacted.json'));
    const compactions = entriesOf(native).filter(({ type }) => type === 'compaction');
    expect(compactions.map(({ summary }) => String(summary).slice(0, 11))).toEqual(['Summary one', 'Summary two']);
    const texts = messagesOf(native).map(({ content }) => ((content as Json[])[0] as Json)['text']);
    expect(texts).toEqual([
      ...['Move the shop to the new API', 'The client is moved.', 'Now the tests', 'The tests are moved.'],
      ...['And the docs', 'The docs are moved.'],
    ]);
    const path = join(folder, 'compacted.json');
    const { stdout } = await run(['context', path]);
    expect(stdout).toContain('Summary two');
    expect(stdout).not.toContain('Summary one');
    expect(stdout).toContain('Today is Monday.');
    expect(stdout).not.toContain('Session saved');
  });

  it('is what status needs: an interrupted call, one that is open, and credits that are used up', async () => {
    const native = await nativeTextOfFile(goose, join(folder, 'ends.json'));
    expect(codes(native)).toMatchObject({ BAD_CALL: 1, PENDING_CALL: 1 });
    expect(messagesOf(native)).toContainEqual(
      expect.objectContaining({ details: { interrupted: true }, isError: true }),
    );
    expect(messagesOf(native).at(-1)).toMatchObject({
      stopReason: 'error',
      errorMessage: expect.stringContaining('credits exhausted'),
    });
    const { stdout } = await run(['status', join(folder, 'ends.json')]);
    expect(stdout).toContain('quota');
  });

  it('is the same from the database as from the export', async () => {
    for (const name of files.filter((one) => one.endsWith('.json'))) {
      const path = gooseDatabase(join(scratch, 'sessions.db'), exported(name));
      const native = await fromDatabase(path);
      expect(await fromDatabase(path)).toEqual(native);
      const fromExport = await nativeTextOfFile(goose, join(folder, name));
      const bare = ({ lines }: NativeText) =>
        lines
          .filter((line) => !/"goose\/(?:usage|session)"|foreign_session/.test(line))
          .map((line) => {
            const { id: _id, parentId: _parent, firstKeptEntryId: _kept, ...rest } = JSON.parse(line) as Json;
            return JSON.stringify(rest)
              .replace(/"line":\d+/, '')
              .replace(/"target":"\w+"/, '');
          });
      // The database has no digits beyond those that JSON gives back.
      const rounded = bare(fromExport).map((line) => line.replace('12345678901234567890', '12345678901234567000'));
      expect(bare(native).map((line) => line.replace('12345678901234567890', '12345678901234567000'))).toEqual(rounded);
      expect(native.report.counts.records).toBe(fromExport.report.counts.records);
      expect(native.report.source).toMatchObject({ format: 'goose', version: 'schema 9' });
    }
  });

  it('is that of the session that is wanted, else of the newest that Goose lists', async () => {
    const [tools, ends] = [exported('tools.json'), exported('ends.json')] as [GooseSession, GooseSession];
    const older = { ...ends, updated_at: '2026-03-01T00:00:00Z' };
    const helper = { ...ends, id: '20260309_1', session_type: 'sub_agent', updated_at: '2026-03-09T00:00:00Z' };
    const empty = { ...ends, id: '20260309_2', updated_at: '2026-03-10T00:00:00Z', conversation: [] };
    const path = gooseDatabase(join(scratch, 'many.db'), older, tools, helper, empty);
    const log = await run(['log', path]);
    expect(log.code).toBe(0);
    expect(log.stderr).toBe(
      `sessionctl: ${path}: has 4 sessions, of which this is the newest, 20260302_1; '--session ID' takes another: 20260302_3, 20260309_2, 20260309_1\n`,
    );
    expect(log.stdout).toContain('What is wrong with this chart?');
    const other = await run(['log', '--session', '20260302_3', path]);
    expect(other).toMatchObject({ code: 0, stderr: '' });
    expect(other.stdout).toContain('Deploy it');
    const wrong = await run(['log', '--session', 'nope', path]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("has no session 'nope'; it has");
    const all = join(scratch, 'all/');
    expect((await run(['convert', '-o', all, path])).code).toBe(1);
    expect(readdirSync(all)).toHaveLength(4);
    expect((await run(['validate', all])).code).toBe(0);
  });

  it('names a session of lines as its file, as Goose does', async () => {
    const path = join(scratch, '20250801_120000.jsonl');
    copyFileSync(join(folder, 'legacy.jsonl'), path);
    const { stdout } = await run(['convert', path]);
    expect(stdout).toContain('"sourceId":"20250801_120000"');
  });

  it('is refused where the tables have another shape, or a row is no JSON is left out', async () => {
    const path = join(scratch, 'odd.db');
    makeDatabase(path, { sessions: { columns: 'id, working_dir' }, messages: { columns: 'content_json' } });
    const odd = await run(['log', path]);
    expect(odd).toMatchObject({ code: 2, stdout: '' });
    expect(odd.stderr.trim().split('\n')).toHaveLength(1);
    const session = exported('tools.json');
    gooseDatabase(path, { ...session, conversation: session.conversation.slice(0, 2) });
    const { code } = await run(['log', path]);
    expect(code).toBe(0);
    makeDatabase(path, {
      sessions: { columns: 'id, working_dir', rows: [['a', '/x']] },
      messages: {
        columns: 'id INTEGER PRIMARY KEY, session_id, role, content_json, created_timestamp',
        rows: [
          [1, 'a', 'user', '[{"type":"text","text":"hello"}]', 1_772_442_000],
          [2, 'a', 'assistant', '[{"type":', 1_772_442_001],
        ],
      },
    });
    const torn = await run(['log', path]);
    expect(torn).toMatchObject({ code: 1 });
    expect(torn.stdout).toContain('hello');
    expect(torn.stderr).toBe(`sessionctl: ${path}: row 2 is damaged (not-json) and was left out\n`);
    const status = await run(['status', path]);
    expect(status.stdout).toContain('the last row of the session is damaged (not-json), and its content is unknown');
    expect(status.stdout).not.toMatch(/\bline\b|append/);
    const checked = await run(['validate', path]);
    expect(checked.stdout).toBe(`${path}:2: error: not-json: row 2 of the session is damaged\n`);
    expect((await run(['convert', path])).stderr).toContain('row 2 is damaged (not-json) and was left out');
    expect((await run(['externalize', '--blobs', join(scratch, 'blobs'), path])).stderr).toContain(
      'row 2 is damaged (not-json) and was left out',
    );
  });
});

describe('validate', () => {
  it('checks a Goose session in a database, an export and a file of lines, and from a pipe', async () => {
    const path = gooseDatabase(join(scratch, 'checked.db'), exported('tools.json'));
    for (const name of [path, join(folder, 'tools.json')])
      for (const { code, stdout } of [
        await run(['validate', '--format', 'json', name]),
        await run(['validate', '--format', 'json', '-'], { stdin: readFileSync(name) }),
      ]) {
        const found = stdout
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Json);
        expect(found.flatMap(({ rule }) => rule ?? [])).toEqual(['duplicate-result']);
        expect(code).toBe(0);
      }
    const lines = readFileSync(join(folder, 'legacy.jsonl'), 'utf8').trimEnd().split('\n');
    const torn = [lines[0], lines[2], String(lines[3]).slice(0, 90), lines[4], ''].join('\n');
    const { code, stdout } = await run(['validate', '-'], { stdin: torn });
    expect(code).toBe(1);
    expect(stdout).toContain('-:3: error: torn-line');
    expect(stdout).toContain('unanswered-call');
    expect(await run(['validate', '-'], { stdin: lines.join('\n').concat('\n') })).toMatchObject({ code: 0 });
    const repair = await run(['repair', join(folder, 'legacy.jsonl')]);
    expect(repair.code).toBe(2);
  });
});

describe('a conversion of a Goose session', () => {
  const legacy = readFileSync(join(folder, 'legacy.jsonl'));

  it('gives the same in pieces of any size', async () => {
    for (const name of ['legacy.jsonl', 'tools.json']) {
      const bytes = readFileSync(join(folder, name));
      const whole = await nativeTextOf(goose, memorySource(bytes));
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 700 }), async (chunkBytes) => {
          expect(await nativeTextOf(goose, memorySource(bytes, { chunkBytes }))).toEqual(whole);
        }),
        settings(10),
      );
    }
  });

  it('accounts for every record however the session is changed, and gives a valid log', async () => {
    const blocks = [
      ...new Set(
        files
          .filter((name) => name.endsWith('.json'))
          .flatMap((name) => exported(name).conversation.flatMap(({ content }) => content as Json[])),
      ),
    ];
    const message = fc.record({
      id: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
      role: fc.constantFrom<unknown>('user', 'user', 'assistant', 'assistant', 'tool', null),
      created: fc.constantFrom<unknown>(1_772_442_000, 1_772_442_001, 'x', undefined, 1e300),
      content: fc.oneof(fc.array(fc.constantFrom<unknown>(...blocks, {}, null, 1), { maxLength: 3 }), fc.constant('x')),
      metadata: fc.option(fc.record({ userVisible: fc.boolean(), agentVisible: fc.boolean() }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 12 }), fc.boolean(), async (messages, isDatabase) => {
        const session = { ...exported('tools.json'), conversation: messages as Json[] };
        const storable = messages.map((one) => ({
          ...one,
          role: one.role ?? '',
          created: one.created ?? 0,
          metadata: one.metadata ?? null,
        }));
        const native = isDatabase
          ? await fromDatabase(gooseDatabase(join(scratch, 'any.db'), { ...session, conversation: storable as Json[] }))
          : await nativeTextOf(goose, memorySource(Buffer.from(JSON.stringify(session))));
        expect(sum(native.report.counts)).toBe(1 + messages.length);
        const path = join(scratch, 'any.jsonl');
        writeFileSync(path, `${native.lines.join('\n')}\n`);
        const { stdout } = await run(['validate', '--format', 'json', path]);
        const found = stdout
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Json);
        const broken = found.filter(({ severity, rule }) => severity === 'error' && !/result|call/.test(String(rule)));
        expect(broken).toEqual([]);
      }),
      settings(60),
    );
  });

  it('never fails where lines are cut or left out', async () => {
    const lines = legacy.toString().trimEnd().split('\n');
    await fc.assert(
      fc.asyncProperty(fc.subarray(lines), fc.nat(), async (some, cut) => {
        const text = some.join('\n');
        const native = await nativeTextOf(goose, memorySource(Buffer.from(text.slice(0, text.length - (cut % 50)))));
        expect(sum(native.report.counts)).toBe(native.report.counts.records);
      }),
      settings(60),
    );
  });
});
