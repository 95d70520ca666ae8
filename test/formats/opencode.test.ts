import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import sqlite from 'node-sqlite3-wasm';
import { describe, expect, it } from 'vitest';
import { opencode } from '../../src/formats/opencode/index.ts';
import { version } from '../../src/util/version.ts';
import { makeDatabase } from '../support/database.ts';
import { memorySource, type NativeText, nativeTextOf, nativeTextOfFile } from '../support/native-form.ts';
import { settings } from '../support/properties.ts';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = join(projectRoot, 'fixtures/formats/opencode');
const scratch = scratchFolder();
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.context)\.json$/.test(name))
  .sort();

type Json = Record<string, unknown>;
interface Message {
  readonly info: Json;
  readonly parts: readonly Json[];
}
interface Export {
  readonly info: Json;
  readonly messages: readonly Message[];
}

const read = (name: string): Export => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Export;
const entriesOf = ({ lines }: Pick<NativeText, 'lines'>): Json[] => lines.map((line) => JSON.parse(line) as Json);
const sum = ({ mapped, merged, custom, dropped }: NativeText['report']['counts']): number =>
  mapped + merged + custom + dropped;

/** The sessions in a store as OpenCode has it. */
function store(name: string, sessions: readonly Export[]): string {
  const columns = 'id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT, title TEXT';
  const sessionRows = sessions.map(({ info }) => {
    const time = info['time'] as Json;
    const { id, projectID, parentID, slug, directory, title, version: by, revert } = info;
    return [
      ...[id, projectID, parentID ?? null, slug, directory, title, by, time['created'], time['updated']],
      revert ? JSON.stringify(revert) : null,
    ];
  });
  const messages = sessions.flatMap((one) => one.messages.map((message) => ({ session: one.info['id'], message })));
  const messageRows = messages.map(({ session, message: { info } }) => {
    const { id, sessionID: _session, ...data } = info;
    return [id, session, (info['time'] as Json)['created'], JSON.stringify(data)];
  });
  const partRows = messages.flatMap(({ session, message }) =>
    message.parts.map(({ id, sessionID: _session, messageID: _message, ...data }) => [
      ...[id, message.info['id'], session, JSON.stringify(data)],
    ]),
  );
  return makeDatabase(join(scratch, name), {
    session: {
      columns: `${columns}, version TEXT, time_created INT, time_updated INT, revert TEXT`,
      rows: sessionRows,
    },
    message: { columns: 'id TEXT PRIMARY KEY, session_id TEXT, time_created INT, data TEXT', rows: messageRows },
    part: { columns: 'id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT', rows: partRows },
  });
}

describe('an OpenCode session in its native form', () => {
  it.each(files)('is the one beside it, twice the same, and every record is accounted for: %s', async (name) => {
    const path = join(folder, name);
    const native = await nativeTextOfFile(opencode, path);
    const text = `${native.lines.join('\n')}\n`.replace(`"toolVersion":"${version}"`, '"toolVersion":"0"');
    await expect(text).toMatchFileSnapshot(path.replace(/\.json$/, '.native.jsonl'));
    expect(await nativeTextOfFile(opencode, path)).toEqual(native);
    const { counts } = native.report;
    expect(counts.records).toBe(1 + read(name).messages.length);
    expect(sum(counts)).toBe(counts.records);
    expect(native.leftOut).toEqual([]);
  });

  it.each(files)('validates without an error in both dialects, and in its own form: %s', async (name) => {
    for (const dialect of ['pi', 'omp'] as const) {
      const path = join(scratch, 'native.jsonl');
      writeFileSync(path, `${(await nativeTextOfFile(opencode, join(folder, name), { dialect })).lines.join('\n')}\n`);
      expect((await run(['validate', '--quiet', path])).stdout).not.toContain(' error: ');
    }
    const own = await run(['validate', join(folder, name)]);
    expect(own.stdout).not.toContain(' error: ');
    expect(own.stderr).toContain('1 session');
  });

  it('says how each request ended, what it used, and what came of its calls', async () => {
    const native = await nativeTextOfFile(opencode, join(folder, 'hand/steps.json'));
    const messages = entriesOf(native).flatMap(({ message }) => (message ? [message as Json] : []));
    expect(messages.filter(({ role }) => role === 'assistant').map(({ stopReason }) => stopReason)).toEqual([
      ...['toolUse', 'toolUse', 'stop', 'stop'],
    ]);
    expect(messages[1]?.['usage']).toMatchObject({
      input: 50,
      output: 12,
      cacheRead: 5,
      cacheWrite: 1,
      totalTokens: 68,
    });
    const states = await nativeTextOfFile(opencode, join(folder, 'hand/states.json'));
    const results = entriesOf(states).flatMap(({ message }) => (message ? [message as Json] : []));
    expect(results.filter(({ role }) => role === 'toolResult')).toMatchObject([
      { toolCallId: 'call_1', isError: false, details: { opencode: { prunedFromContext: true } } },
      { toolCallId: 'call_2', isError: true, details: { interrupted: true } },
    ]);
    expect(results.find(({ stopReason }) => stopReason === 'aborted')).toMatchObject({ errorMessage: /aborted/ });
    expect(states.report.losses.map(({ code, count }) => [code, count])).toContainEqual(['PENDING_CALL', 2]);
  });

  it('makes what was taken back a branch, and the place before it the leaf', async () => {
    const file = join(folder, 'hand/reverted.json');
    const { stdout } = await run(['context', '--as', 'openai', file]);
    expect(stdout).toContain('Blue.');
    expect(stdout).not.toContain('Green.');
    expect((await run(['tree', file])).stdout).toContain('Green.');
  });

  it('is the same for chunks of any size', async () => {
    const bytes = readFileSync(join(folder, 'hand/steps.json'));
    const whole = await nativeTextOf(opencode, memorySource(bytes));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3000 }), async (chunkBytes) => {
        expect(await nativeTextOf(opencode, memorySource(bytes, { chunkBytes }))).toEqual(whole);
      }),
      settings(30),
    );
  });

  it('accounts for every message, whatever its members are, and never throws', async () => {
    const sources = files.map((name) => read(name));
    const change = fc.record({
      at: fc.nat(),
      path: fc.constantFrom(
        'info',
        'parts',
        'info.role',
        'info.time',
        'parts.0',
        'parts.0.type',
        'parts.0.state',
        'info.id',
      ),
      value: fc.oneof(fc.jsonValue(), fc.constantFrom('tool', 'compaction', 'user', { status: 'completed' })),
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(sources.length - 1), fc.array(change, { maxLength: 8 }), async (which, changes) => {
        const { info, messages } = structuredClone(sources[which]) as unknown as { info: Json; messages: Json[] };
        for (const { at, path, value } of changes) {
          const keys = path.split('.');
          const last = keys.pop() as string;
          const place = keys.reduce<unknown>(
            (one, key) => (one as Json | undefined)?.[key],
            messages[at % messages.length],
          );
          if (typeof place === 'object' && place !== null) (place as Json)[last] = value;
        }
        const text = JSON.stringify({ info, messages });
        const native = await nativeTextOf(opencode, memorySource(Buffer.from(text)));
        expect(sum(native.report.counts)).toBe(1 + messages.length);
        const entries = entriesOf(native);
        const ids = new Set(entries.map(({ id }) => id));
        expect(ids.size).toBe(entries.length);
        for (const { parentId } of entries.slice(2)) expect(ids).toContain(parentId);
        const torn = await nativeTextOf(opencode, memorySource(Buffer.from(text.slice(0, -20))));
        expect(torn.leftOut).toHaveLength(1);
      }),
      settings(100),
    );
  });
});

/**
 * What OpenCode sent when it resumed a session, and what we make of it, are compared without
 * - the system prompt, which is in no log, and the thoughts of the model, which this form of messages does not have,
 * - who split what a user said: prompts that follow each other are one,
 * - empty text beside calls, and the word 'Error: ' that we put before the text of a tool that failed,
 * - the words before images of tools, which both send as a prompt of its own,
 * - a summary, which OpenCode sends as the answer to a question, and we as a prompt.
 */
function plain(messages: readonly Json[]): Json[] {
  const made: Json[] = [];
  for (const { role, content, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === 'system') continue;
    const blocks = (
      typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as Json[])
    ).filter(
      ({ text }) => text !== '' && !/^(Attached media from tool result:|The result of \w+ showed:)$/.test(String(text)),
    );
    const texts = blocks.map((block) =>
      block['type'] === 'text' ? String(block['text']).replace(/^Error: /, '') : JSON.stringify(block),
    );
    const last = made.at(-1);
    if (role === 'user' && last?.['role'] === 'user') (last['texts'] as string[]).push(...texts);
    else made.push({ role, texts, ...(calls ? { calls } : {}), ...(id ? { id } : {}) });
  }
  return made;
}

describe('context of an OpenCode session', () => {
  const cases = files.filter((name) => name.startsWith('1.18.33/')).map((name) => name.replace('.json', ''));

  async function both(name: string): Promise<readonly [made: Json[], sent: Json[]]> {
    const { stdout } = await run(['context', '--as', 'openai', join(folder, `${name}.json`)]);
    const made = stdout.trim().split('\n');
    const sent = JSON.parse(readFileSync(join(folder, `${name}.context.json`), 'utf8')) as { messages: Json[] };
    return [plain(made.map((line) => JSON.parse(line) as Json)), plain(sent.messages)];
  }

  it.each(cases.filter((name) => !/compact/.test(name)))('is what OpenCode itself sends: %s', async (name) => {
    const [made, sent] = await both(name);
    expect(made).toEqual(sent);
  });

  it('is what OpenCode itself sends behind the summary of a compaction', async () => {
    const [made, sent] = await both('1.18.33/compact-auto');
    expect(sent[0]?.['texts']).toEqual(['What did we do so far?']);
    const [, answer, ...others] = sent;
    const [summary] = (answer?.['texts'] ?? []) as string[];
    const [first, ...rest] = (made[0]?.['texts'] ?? []) as string[];
    expect(first).toContain(summary);
    expect([rest, ...made.slice(1)]).toEqual([others[0]?.['texts'], ...others.slice(1)]);
  });
});

describe("OpenCode's store", () => {
  const all = files.filter((name) => name.startsWith('1.18.33/')).map(read);

  it.each(files)('gives the session that an export of it gives: %s', async (name) => {
    const path = store('one.db', [read(name)]);
    const fromStore = await run(['convert', path]);
    const fromExport = await run(['convert', join(folder, name)]);
    const entries = (text: string): Json[] =>
      text
        .trim()
        .split('\n')
        .slice(2)
        .map((line) => {
          const { id: _id, parentId: _parent, ...rest } = JSON.parse(line) as Json;
          // Lines are those of the export, and places in the session; ids that are made up depend on them.
          return JSON.parse(
            JSON.stringify(rest)
              .replace(/"(line|target|firstKeptEntryId)":("[^"]*"|\d+)/g, '"$1":0')
              .replace(/"(sessionID|messageID)":"[^"]*",?/g, ''),
          ) as Json;
        });
    expect(entries(fromStore.stdout)).toEqual(entries(fromExport.stdout));
    expect(fromStore.code).toBe(fromExport.code);
  });

  it('has its newest session read, with a note that names the others; --session takes another', async () => {
    const path = store('all.db', all);
    const newest = await run(['log', path]);
    const { title } = all.map(({ info }) => info).sort((a, b) => updated(b) - updated(a))[0] as Json;
    expect(newest.stdout).toContain(String(title));
    expect(newest.stderr).toMatch(
      /has \d+ sessions, of which this is the newest, ses_\w+; '--session ID' takes another: ses_/,
    );
    const tools = read('1.18.33/tools.json');
    const ran = await run(['log', '--session', String(tools.info['id']), path]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('I will look at three things.');
    expect(await run(['log', '--session', 'ses_nobody', path])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has no session 'ses_nobody'; it has ses_"),
    });
  });

  it('is written session by session, those of subagents too', async () => {
    const out = join(scratch, 'out');
    const ran = await run(['convert', '-o', `${out}/`, store('all.db', all)]);
    expect(ran.code).toBe(0);
    expect(readdirSync(out)).toHaveLength(all.length);
  });

  it('is checked as its newest session is', async () => {
    const ran = await run(['validate', store('all.db', all)]);
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('1 session') });
  });

  it('that has no sessions, or rows that are no JSON, is reported in one line', async () => {
    expect(await run(['log', store('none.db', [])])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/none\.db: has no session in it\n$/),
    });
    const [first] = all as [Export];
    const path = store('bad.db', [first]);
    makeBad(path);
    const ran = await run(['log', path]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('is damaged (not-json) and was left out');
  });
});

function updated(info: Json): number {
  return Number((info['time'] as Json)['updated']);
}

function makeBad(path: string): void {
  const database = new sqlite.Database(path);
  database.exec("UPDATE message SET data = '{' WHERE rowid = 1");
  database.close();
}
