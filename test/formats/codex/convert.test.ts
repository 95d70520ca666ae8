import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checks } from '../../../src/formats/codex/checks.ts';
import { codex } from '../../../src/formats/codex/index.ts';
import { version } from '../../../src/util/version.ts';
import { schemaOf } from '../../support/codex-schema.ts';
import { memorySource, type NativeText, nativeTextOf, nativeTextOfFile } from '../../support/native-form.ts';
import { settings } from '../../support/properties.ts';
import { projectRoot, run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

const folder = join(projectRoot, 'fixtures/formats/codex');
const scratch = scratchFolder();
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.native)\.jsonl$|hand.*(?<!\.context)\.json$/.test(name))
  .sort();

type Json = Record<string, unknown>;

const recordsIn = (path: string): number => {
  const text = readFileSync(path, 'utf8');
  return path.endsWith('.json')
    ? 1 + (JSON.parse(text) as { items: unknown[] }).items.length
    : text.split('\n').filter((line) => line !== '').length;
};
const entriesOf = ({ lines }: Pick<NativeText, 'lines'>): Json[] => lines.map((line) => JSON.parse(line) as Json);
const messagesOf = (native: NativeText): Json[] =>
  entriesOf(native).flatMap(({ message }) => (message ? [message as Json] : []));
const sum = ({ mapped, merged, custom, dropped }: NativeText['report']['counts']): number =>
  mapped + merged + custom + dropped;
const codes = (native: NativeText): Record<string, number> =>
  Object.fromEntries(native.report.losses.map(({ code, count }) => [code, count]));

describe('a Codex rollout in its native form', () => {
  it.each(files)('is the one beside it, twice the same, and every record is accounted for: %s', async (name) => {
    const path = join(folder, name);
    const native = await nativeTextOfFile(codex, path);
    const text = `${native.lines.join('\n')}\n`.replace(`"toolVersion":"${version}"`, '"toolVersion":"0"');
    await expect(text).toMatchFileSnapshot(path.replace(/\.jsonl?$/, '.native.jsonl'));
    expect(await nativeTextOfFile(codex, path)).toEqual(native);
    const { counts } = native.report;
    expect(counts.records).toBe(recordsIn(path));
    expect(sum(counts)).toBe(counts.records);
    expect(native.leftOut).toEqual([]);
  });

  it.each(files)('validates without an error in both dialects: %s', async (name) => {
    const path = join(scratch, 'native.jsonl');
    for (const dialect of ['pi', 'omp'] as const) {
      const { lines } = await nativeTextOfFile(codex, join(folder, name), { dialect });
      writeFileSync(path, `${lines.join('\n')}\n`);
      const { stdout } = await run(['validate', '--format', 'json', path]);
      const found = stdout
        .trim()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Json);
      const errors = found.filter(({ severity }) => severity === 'error');
      expect(errors).toEqual([]);
    }
  });

  it.each(files)('holds records that fit the schemas: %s', (name) => {
    if (name.endsWith('.json')) return;
    for (const line of readFileSync(join(folder, name), 'utf8').trim().split('\n')) {
      const record = JSON.parse(line) as Json;
      expect(schemaOf(record).safeParse(record).error?.issues, line).toBeUndefined();
    }
  });

  it('keeps all records, or none, as it is told', async () => {
    const path = join(folder, '0.166.0/tools.jsonl');
    const raw = await nativeTextOfFile(codex, path, { keep: 'raw' });
    const none = await nativeTextOfFile(codex, path, { keep: 'none' });
    expect(raw.report.counts.custom).toBe(none.report.counts.dropped);
    expect(raw.lines.join('')).toContain('"agents_md"');
    const types = entriesOf(none).map((entry) => entry['customType'] ?? entry['type']);
    expect(types.filter((type) => String(type).startsWith('codex/'))).toEqual(['codex/developer', 'codex/context']);
    expect(sum(none.report.counts)).toBe(recordsIn(path));
  });
});

describe('the usage of a Codex rollout', () => {
  /** Every request to a model once, straight from the lines. */
  function usageByHand(path: string): number[] {
    const records = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; payload: Json });
    const own = records.filter(({ type }) => type === 'token_usage_record').map(({ payload }) => payload['usage']);
    const totals = new Map<string, unknown>();
    for (const { payload } of records) {
      const info = payload['type'] === 'token_count' ? (payload['info'] as Json | null) : null;
      const key = JSON.stringify(info?.['total_token_usage']);
      if (info && !totals.has(key)) totals.set(key, info['last_token_usage']);
    }
    const calls = (own.length > 0 ? own : [...totals.values()]) as Record<string, number>[];
    const total = (key: string): number => calls.reduce((all, call) => all + (call[key] ?? 0), 0);
    return [calls.length, total('input_tokens'), total('cached_input_tokens'), total('output_tokens')];
  }

  const recorded = files.filter((name) => /^0/.test(name));
  it.each(recorded)('is that of each request once: %s', async (name) => {
    const path = join(folder, name);
    const native = await nativeTextOfFile(codex, path);
    const used = entriesOf(native).flatMap((entry) => {
      const { usage } = { ...entry, ...(entry['message'] as Json | undefined) } as { usage?: Record<string, number> };
      return usage && (usage['totalTokens'] ?? 0) > 0 ? [usage] : [];
    });
    const total = (key: string): number => used.reduce((all, usage) => all + (usage[key] ?? 0), 0);
    const input = total('input') + total('cacheRead') + total('cacheWrite');
    expect([used.length, input, total('cacheRead'), total('output')]).toEqual(usageByHand(path));
  });

  it('is shown by context --state', async () => {
    const { stdout } = await run(['context', '--state', join(folder, '0.98.0/compact-auto.jsonl')]);
    expect((JSON.parse(stdout) as { usage: Json }).usage).toMatchObject({
      input: 1_950_532 - 60,
      cacheRead: 60,
      output: 252,
    });
  });

  it('does not count what a fork has copied or inherited', async () => {
    for (const [name, answers] of [
      ['hand/copied-fork.jsonl', [0, 11]],
      ['0.166.0/fork-2.jsonl', [0, 0, 173]],
    ] as const) {
      const messages = messagesOf(await nativeTextOfFile(codex, join(folder, name)));
      const spoken = messages.filter(({ role }) => role === 'assistant');
      expect(spoken.map(({ usage }) => (usage as Json)['totalTokens'])).toEqual(answers);
    }
  });
});

describe('what a Codex rollout tells beside its messages', () => {
  const legacy = () => nativeTextOfFile(codex, join(folder, 'hand/legacy.jsonl'));
  const resultOf = (messages: readonly Json[], id: string): Json =>
    messages.find(({ role, toolCallId }) => role === 'toolResult' && toolCallId === id) as Json;

  it('says whether a tool failed', async () => {
    const messages = messagesOf(await legacy());
    const failed = ['call_ls', 'call_mcp', 'call_bad', 'call_patch', 'call_lost', 'call_ts'].filter(
      (id) => resultOf(messages, id)['isError'],
    );
    expect(failed).toEqual(['call_mcp', 'call_bad', 'call_patch']);
    expect(resultOf(messages, 'call_patch')['details']).toMatchObject({
      codex: { status: 'declined', success: false },
    });
    expect(resultOf(messages, 'call_ls')['details']).toEqual({ codex: { stillRunning: '77' } });
    const old = messagesOf(await nativeTextOfFile(codex, join(folder, 'hand/bare.jsonl')));
    expect(resultOf(old, 'call_b2')).toMatchObject({
      isError: true,
      content: [{ text: 'sed: README.md: read-only\n' }],
    });
    expect(resultOf(old, 'call_b2')['details']).toMatchObject({ codex: { metadata: { exit_code: 4 } } });
  });

  it('has model, effort, title, folder and version', async () => {
    const native = await legacy();
    const entries = entriesOf(native);
    expect(entries[0]).toMatchObject({ type: 'session', cwd: '/home/ada/project' });
    expect(entries.find(({ type }) => type === 'model_change')).toMatchObject({
      provider: 'openai',
      modelId: 'gpt-5.2-codex',
    });
    const levels = entries.flatMap(({ thinkingLevel }) => thinkingLevel ?? []);
    expect(levels).toEqual(['high', 'ultra']);
    expect(entries.at(-1)).toMatchObject({ type: 'session_info', name: 'Ports' });
    expect(native.report.source.version).toBe('0.90.0');
    const bare = entriesOf(await nativeTextOfFile(codex, join(folder, 'hand/bare.jsonl')));
    expect(bare[0]).toMatchObject({ cwd: '/home/ada/project', timestamp: '2025-08-01T10:00:00.000Z' });
  });

  it('names every loss', async () => {
    expect(codes(await legacy())).toEqual({
      SYSTEM_AS_USER: 1,
      ARGS_NOT_OBJECT: 1,
      DUP_RESULT: 1,
      ORPHAN_RESULT: 1,
      ISERROR_UNKNOWN: 2,
      IMAGE_REF: 1,
      LEVEL_UNMAPPED: 1,
      ITEM_MISSING: 2,
      SUMMARY_ENCRYPTED: 1,
      USAGE_UNKNOWN: 2,
      PENDING_CALL: 1,
    });
  });

  it('keeps the digits of numbers and the text of arguments that are not as JSON.stringify writes them', async () => {
    const { lines } = await legacy();
    const line = lines.find((one) => one.includes('call_mcp')) ?? '';
    expect(line).toContain('"size":1.0,"big":12345678901234567890');
    const { stdout } = await run([
      'context',
      '--as',
      'responses',
      '--leaf',
      'msg_c1',
      join(folder, 'hand/legacy.jsonl'),
    ]);
    const called = stdout.split('\n').find((one) => one.includes('"call_mcp"')) ?? '';
    expect(JSON.parse(called)).toEqual({
      ...{ type: 'function_call', name: 'fetch', namespace: 'mcp__net__', call_id: 'call_mcp' },
      arguments: '{"url": "http://localhost", "size": 1.0, "big": 12345678901234567890}',
    });
  });

  it('makes a rolled back turn a branch, and the place before it the leaf', async () => {
    const { stdout } = await run(['context', join(folder, 'hand/rolled-back.jsonl')]);
    expect(stdout).toContain('First.');
    expect(stdout).not.toContain('Two.');
    const tree = await run(['tree', join(folder, 'hand/rolled-back.jsonl')]);
    expect(tree.stdout).toContain('Second.');
  });

  it('stops the last answer of an interrupted turn, or an empty one', async () => {
    const stopped = messagesOf(await legacy()).filter(({ errorMessage }) => errorMessage);
    expect(stopped.map(({ stopReason, errorMessage, content }) => [stopReason, errorMessage, content])).toEqual([
      ['aborted', 'interrupted', []],
      ['error', 'usage limit reached', []],
    ]);
    const messages = messagesOf(await nativeTextOfFile(codex, join(folder, '0.166.0/interrupted.jsonl')));
    expect(messages.find(({ stopReason }) => stopReason === 'aborted')).toMatchObject({
      content: [
        { type: 'text', text: 'Starting it.' },
        { type: 'toolCall', name: 'exec_command' },
      ],
    });
  });

  it('takes a message that is in an event alone, in its place', async () => {
    const messages = messagesOf(await legacy());
    const texts = messages.map(({ content }) => JSON.stringify(content));
    const [said, asked, searched] = ['Said in an event', 'Asked in an event', 'tool_search'].map((words) =>
      texts.findIndex((text) => text?.includes(words)),
    ) as [number, number, number];
    expect([asked - said, searched - asked]).toEqual([1, 1]);
  });

  it('does not make status wait for a search that the provider ran', async () => {
    const record = (payload: Json): string =>
      `${JSON.stringify({ timestamp: '2026-02-03T08:00:00Z', type: 'response_item', payload })}\n`;
    const path = join(scratch, 'search.jsonl');
    const meta = {
      timestamp: '2026-02-03T08:00:00Z',
      type: 'session_meta',
      payload: {
        ...{ id: 's', timestamp: '2026-02-03T08:00:00Z', cwd: '/home/ada/project' },
        ...{ originator: 'codex_cli_rs', cli_version: '0.90.0' },
      },
    };
    const asked = record({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Search.' }] });
    const search = record({
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'q' },
    });
    const answer = record({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Found.' }] });
    writeFileSync(path, `${JSON.stringify(meta)}\n${asked}${search}${answer}`);
    const { stdout, code } = await run(['status', path]);
    expect(stdout).toContain('ready: safe to resume (stable)');
    expect(code).toBe(0);
  });

  it('refers to the sessions of its agents', async () => {
    const { report, lines } = await nativeTextOfFile(codex, join(folder, '0.166.0/subagent.jsonl'));
    const [child] = report.sessions;
    expect(child).toMatchObject({ path: 'subagent-2.jsonl', toolCallId: 'call_00000002', title: '/root/counter' });
    const header = entriesOf(await nativeTextOfFile(codex, join(folder, '0.166.0/subagent-2.jsonl')))[0];
    expect(child?.nativeId).toBe(header?.['id']);
    expect(header?.['parentSession']).toBe((JSON.parse(lines[0] ?? '') as Json)['id']);
  });

  it('names the session of an agent whose rollout is gone, as a loss', async () => {
    const path = join(scratch, 'alone.jsonl');
    copyFileSync(join(folder, '0.166.0/subagent.jsonl'), path);
    const report = join(scratch, 'alone.json');
    const { code, stdout, stderr } = await run(['convert', '--report', report, path]);
    expect(code).toBe(0);
    expect(stderr).not.toContain('not written');
    const { losses, sessions } = JSON.parse(readFileSync(report, 'utf8')) as { losses: Json[]; sessions: Json[] };
    expect(losses.find((loss) => loss['code'] === 'SUBAGENT_MISSING')).toMatchObject({ severity: 'info', count: 1 });
    expect(sessions).toEqual([]);
    const beside = await nativeTextOfFile(codex, join(folder, '0.166.0/subagent.jsonl'));
    const link = (lines: readonly string[]) => lines.find((line) => line.includes('"sessionctl/subagent"'));
    expect(link(stdout.split('\n'))).toBe(link(beside.lines));
  });

  it('keeps apart what it continues and what is its own, though no prompt stands between them', async () => {
    const home = join(scratch, 'apart');
    mkdirSync(home);
    copyFileSync(join(folder, '0.166.0/fork.jsonl'), join(home, 'fork.jsonl'));
    const lines = readFileSync(join(folder, '0.166.0/fork-2.jsonl'), 'utf8').split('\n');
    const isPrompt = /"role":"user"|"user_message"|"type":"(?:task_started|item_completed)"/;
    writeFileSync(join(home, 'fork-2.jsonl'), lines.filter((line) => !isPrompt.test(line)).join('\n'));
    const { stdout } = await run(['log', '--json', join(home, 'fork-2.jsonl')]);
    const texts = stdout.split('\n').flatMap((line): string[] => (line ? [JSON.parse(line).text] : []));
    expect(texts.slice(texts.indexOf('Another one.'))).toEqual([
      ...['Another one.', 'Green.', 'codex/session_meta', 'codex/thread_settings_applied'],
      ...['codex/thread_settings_applied', 'codex/turn_context', 'Red it is.', 'codex/task_complete'],
    ]);
  });

  it('goes on from the rollout that it was forked from, wherever Codex keeps that', async () => {
    const home = join(scratch, '.codex');
    const [parent, fork] = ['16/rollout-2026-11-16T19-41-05-01a1e5e0-9f0e-79f2-a9ff-5223c25453c7', '17/rollout-2'].map(
      (name) => join(home, 'sessions/2026/11', `${name}.jsonl`),
    ) as [string, string];
    for (const path of [parent, fork]) mkdirSync(dirname(path), { recursive: true });
    copyFileSync(join(folder, '0.166.0/fork.jsonl'), parent);
    copyFileSync(join(folder, '0.166.0/fork-2.jsonl'), fork);
    const named = {
      id: '01a1e5e0-cac8-72c0-8f17-7672ac3c013b',
      thread_name: 'Colors',
      updated_at: '2026-11-16T19:41:16Z',
    };
    writeFileSync(join(home, 'session_index.jsonl'), `{"id":"x","thread_name":"y"}\n${JSON.stringify(named)}\n`);
    const { stdout, stderr } = await run(['context', fork]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/Blue\..*Green\..*Red it is\./s);
    expect((JSON.parse((await run(['context', '--state', fork])).stdout) as Json)['title']).toBe('Colors');
    const alone = await run(['context', join(folder, 'hand/lost-base.jsonl')]);
    expect(alone.stderr).toContain('the session that it continues was not found');
    expect(alone.stderr).toContain('; put that log beside it\n');
    expect(alone.stdout).toContain('Go on from there.');
  });

  it('is read although it is packed, from a file and a pipe', async () => {
    const plain = await run(['context', join(folder, '0.98.0/tools.jsonl')]);
    const path = join(folder, 'hand/packed.jsonl.zst');
    for (const packed of [await run(['context', path]), await run(['context'], { stdin: readFileSync(path) })]) {
      expect(packed.stdout).toBe(plain.stdout);
      expect(packed.code).toBe(0);
    }
    const [first, ...rest] = readFileSync(path);
    const bytewise = await run(['context'], { stdin: [Buffer.from([first as number]), Buffer.from(rest)] });
    expect(bytewise.stdout).toBe(plain.stdout);
    const cut = await run(['context'], { stdin: readFileSync(path).subarray(0, 900) });
    expect([cut.code, cut.stdout]).toEqual([2, '']);
    expect(cut.stderr).toContain('cannot be unpacked');
  });

  it('shows where Codex keeps its rollouts, and what is known of a record', () => {
    expect(codex.locations?.({ HOME: '/home/ada' })).toEqual([
      '/home/ada/.codex/sessions',
      '/home/ada/.codex/archived_sessions',
    ]);
    expect(codex.locations?.({ HOME: '/home/ada', CODEX_HOME: '/c' })?.[0]).toBe('/c/sessions');
    expect(codex.locations?.({})).toEqual([]);
    const lines = readFileSync(join(folder, '0.166.0/tools.jsonl'), 'utf8').trim().split('\n');
    const { describe: factsOf } = checks;
    const facts = lines.map((line) => factsOf(JSON.parse(line) as Json));
    expect(facts[7]).toMatchObject({ role: 'user', isInConversation: true });
    expect(facts[8]).toMatchObject({ isInConversation: false, blocks: [] });
    expect(facts[13]).toMatchObject({ role: 'assistant', blocks: [{ kind: 'call', callId: 'call_00000003' }] });
    expect(facts[20]).toMatchObject({
      role: 'result',
      blocks: [{ kind: 'result', callId: 'call_00000003' }],
      timestamp: '2026-11-16T19:39:48.532Z',
    });
  });
});

describe('the conversion of a Codex rollout', () => {
  const mixed = ['hand/legacy.jsonl', '0.166.0/compact-auto.jsonl', '0.166.0/interrupted.jsonl', '0.98.0/resume.jsonl'];
  const contents = [...mixed, 'hand/bare.jsonl'].map((name) => readFileSync(join(folder, name)));

  it('is the same for chunks of any size', async () => {
    const expected = await Promise.all(contents.map((bytes) => nativeTextOf(codex, memorySource(bytes))));
    await fc.assert(
      fc.asyncProperty(fc.nat(contents.length - 1), fc.integer({ min: 1, max: 9000 }), async (at, chunkBytes) => {
        const source = memorySource(contents[at] as Buffer, { chunkBytes });
        expect(await nativeTextOf(codex, source)).toEqual(expected[at]);
      }),
      settings(40),
    );
  });

  it('accounts for every record, whatever lines are lost, repeated, moved or cut', async () => {
    const change = fc.record({
      how: fc.constantFrom('drop', 'repeat', 'cut', 'swap', 'nothing'),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      where: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(contents.length - 1), fc.array(change, { maxLength: 12 }), async (which, changes) => {
        const lines = (contents[which] as Buffer).toString('utf8').trim().split('\n');
        for (const { how, at, where } of changes) {
          const [one, other] = [Math.floor(at * lines.length), Math.floor(where * lines.length)];
          const line = lines[one];
          if (line === undefined) continue;
          if (how === 'drop') lines.splice(one, 1);
          if (how === 'repeat') lines.splice(other, 0, line);
          if (how === 'cut') lines[one] = line.slice(0, Math.floor(where * line.length));
          if (how === 'swap') [lines[one], lines[other]] = [lines[other] ?? '', line];
        }
        const native = await nativeTextOf(codex, memorySource(Buffer.from(lines.join('\n'))));
        const { counts } = native.report;
        expect(sum(counts)).toBe(counts.records);
        // A line that is cut may hold a whole record inside of another.
        expect(counts.records).toBeGreaterThanOrEqual(lines.filter((line) => line !== '').length);
        const entries = entriesOf(native);
        const ids = new Set(entries.map(({ id }) => id));
        expect(ids.size).toBe(entries.length);
        for (const { parentId } of entries.slice(2)) expect(ids).toContain(parentId);
      }),
      settings(150),
    );
  });

  it('survives records of any shape', async () => {
    const types =
      'message reasoning function_call function_call_output custom_tool_call local_shell_call web_search_call other'.split(
        ' ',
      );
    const key = fc.constantFrom(
      'type',
      'role',
      'content',
      'call_id',
      'id',
      'output',
      'arguments',
      'info',
      'item',
      'summary',
      'action',
    );
    const item = fc
      .tuple(fc.constantFrom(...types), fc.dictionary(key, fc.jsonValue()))
      .map(([type, more]) => ({ ...more, type }));
    const event = fc.constantFrom(
      'token_count',
      'user_message',
      'thread_rolled_back',
      'turn_aborted',
      'item_completed',
      'compacted',
    );
    const record = fc.oneof(
      item.map((payload) => ({ type: 'response_item', payload })),
      item,
      fc
        .tuple(event, fc.dictionary(key, fc.jsonValue()))
        .map(([type, more]) => ({ type: 'event_msg', payload: { ...more, type } })),
      fc.dictionary(key, fc.jsonValue()).map((payload) => ({ type: 'compacted', payload })),
      fc.dictionary(key, fc.jsonValue()),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 30 }), async (records) => {
        const bytes = Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''));
        const { report } = await nativeTextOf(codex, memorySource(bytes));
        expect(sum(report.counts)).toBe(records.length);
      }),
      settings(300),
    );
  });
});
