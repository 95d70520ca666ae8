import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/formats/claude-code/index.ts';
import type { ConversionOptions } from '../../src/formats/format.ts';
import { memorySource, nativeTextOf } from '../support/native-form.ts';
import { run } from '../support/run.ts';

type Json = Record<string, unknown>;

let second = 0;
const record = (uuid: string, parentUuid: string | null, more: object): Json => ({
  ...{ uuid, parentUuid, isSidechain: false, sessionId: 's', version: '2.1.100', cwd: '/w' },
  timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, second++)).toISOString(),
  ...more,
});
const user = (uuid: string, parent: string | null, content: unknown, more: object = {}): Json =>
  record(uuid, parent, { type: 'user', message: { role: 'user', content }, ...more });
const says = (uuid: string, parent: string | null, id: string, block: object, more: object = {}): Json =>
  record(uuid, parent, {
    ...{ type: 'assistant', requestId: `req-${id}` },
    message: {
      id,
      model: 'claude-x',
      content: [block],
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 2 },
    },
    ...more,
  });
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string, input: object = {}) => ({ type: 'tool_use', id, name: 'Bash', input });
const result = (id: string, content: string) => [{ type: 'tool_result', tool_use_id: id, content }];

function bytesOf(records: readonly Json[]): Buffer {
  return Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

async function convert(records: readonly Json[], options: Partial<ConversionOptions> = {}) {
  const { lines, report, restarts } = await nativeTextOf(claudeCode, memorySource(bytesOf(records)), options);
  const { records: total, mapped, merged, custom, dropped } = report.counts;
  expect([total, mapped + merged + custom + dropped]).toEqual([records.length, records.length]);
  const validated = await run(['validate', '-'], { stdin: `${lines.join('\n')}\n` });
  expect(validated.stdout).not.toMatch(/: error: /);
  const [header, ...entries] = lines.map((line): Json => JSON.parse(line));
  return { header, entries, report, restarts, codes: report.losses.map(({ code }) => code) };
}

/** What the model would see, as short lines. */
async function contextOf(records: readonly Json[]): Promise<string[]> {
  const ran = await run(['context', '-'], { stdin: bytesOf(records) });
  return ran.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { role, content, summary, toolCallId } = JSON.parse(line);
      const blocks: Json[] = Array.isArray(content) ? content : [{ text: content ?? summary }];
      const words = blocks.map((block) => block['text'] ?? block['id'] ?? block['thinking']);
      return `${toolCallId ?? role}: ${words.join(' + ')}`;
    });
}

describe('a record of Claude Code', () => {
  it('of an answer joins the others of it, though a result and a prompt stand between them', async () => {
    const log = [
      user('u', null, 'go'),
      says('a1', 'u', 'm', text('one')),
      says('a2', 'a1', 'm', call('c1')),
      user('r1', 'a2', result('c1', 'done')),
      user('p', 'r1', 'and?'),
      says('a3', 'r1', 'm', call('c2')),
      user('r2', 'a3', result('c2', 'late')),
      says('b', 'p', 'n', text('end')),
    ];
    expect(await contextOf(log)).toEqual([
      'user: go',
      'assistant: one + c1 + c2',
      'c1: done',
      'c2: late',
      'user: and?',
      'assistant: end',
    ]);
    expect((await convert(log)).restarts).toBe(1);
  });

  it('that answers after the agent put in a text still follows its call', async () => {
    const log = [
      user('u', null, 'go'),
      says('a1', 'u', 'm', call('c1')),
      says('a2', 'a1', 'm', call('c2')),
      user('r1', 'a1', result('c1', 'one')),
      user('x', 'r1', 'a reminder', { isMeta: true }),
      user('r2', 'a2', result('c2', 'two')),
      says('b', 'x', 'n', text('end')),
    ];
    expect(await contextOf(log)).toEqual([
      'user: go',
      'assistant: c1 + c2',
      'c1: one',
      'custom: a reminder',
      'c2: two',
      'assistant: end',
    ]);
    expect((await convert(log)).restarts).toBe(0);
  });

  it('that comes twice counts as it is the last time, at its first place', async () => {
    const log = [user('u', null, 'draft'), says('a', 'u', 'm', text('yes')), user('v', 'a', 'more')];
    const again = [...log, { ...log[0], message: { role: 'user', content: 'final' } }, log[1] as Json];
    expect(await contextOf(again)).toEqual(['user: final', 'assistant: yes', 'user: more']);
    const { codes, report } = await convert(again);
    expect(codes).toContain('DUPLICATE');
    expect(report.counts.merged).toBe(2);
  });

  it('that comes before its parent hangs from it', async () => {
    const log = [
      user('u', null, 'go'),
      says('c', 'q', 'n', text('two')),
      user('q', 'a', 'more'),
      says('a', 'u', 'm', text('one')),
      user('e', 'c', 'end'),
    ];
    expect(await contextOf(log)).toEqual(['user: go', 'assistant: one', 'user: more', 'assistant: two', 'user: end']);
    const { codes, restarts } = await convert(log);
    expect(codes).not.toContain('MISSING_PARENT');
    expect(restarts).toBe(1);
    const shown = await run(['log', '--leaf', 'line:3', '--json', '-'], { stdin: bytesOf(log) });
    expect(JSON.parse(shown.stdout.trim().split('\n').at(-1) as string)).toMatchObject({ id: 'q', line: 3 });
  });

  it('is found in a log whose lines are in reverse, in a time that grows with their number', async () => {
    const log: Json[] = [user('u0', null, 'go')];
    for (let at = 1; at < 20_000; at++) log.push(user(`u${at}`, `u${at - 1}`, `${at}`));
    const { entries, restarts } = await convert(log.reverse());
    const messages = entries.filter(({ type }) => type === 'message');
    expect(messages.map(({ id }) => id)).toEqual(log.map(({ uuid }) => uuid).reverse());
    expect(restarts).toBe(1);
  });

  it('that takes parts of the context back is a loss, and readers say so', async () => {
    const log = [user('u', null, 'go'), says('a', 'u', 'm', text('yes'))];
    const edits = [
      { type: 'content-replacement', sessionId: 's', replacements: [{ toolUseId: 'c' }] },
      { type: 'marble-origami-commit', sessionId: 's' },
    ];
    expect((await convert([...log, ...edits])).report.losses).toContainEqual(
      expect.objectContaining({ code: 'CONTEXT_EDITED', severity: 'lossy', count: 2 }),
    );
    const none = { type: 'content-replacement', sessionId: 's', replacements: [] };
    expect((await convert([...log, none])).codes).not.toContain('CONTEXT_EDITED');
    const shown = await run(['log', '-'], { stdin: bytesOf([...log, ...edits]) });
    expect(shown.stderr).toBe(
      'sessionctl: -:3: the agent took parts of the context back later, which are still shown (2 times)\n',
    );
  });

  it('whose text was not stored is a loss, unless it lists what the agent offers anew at every start', async () => {
    const attachment = (uuid: string, parent: string, type: string): Json =>
      record(uuid, parent, { type: 'attachment', attachment: { type, content: 'all' } });
    const records = [user('a', null, 'go'), attachment('b', 'a', 'skill_listing')];
    const exitCode = async (all: readonly Json[]) => (await run(['convert', '-'], { stdin: bytesOf(all) })).code;
    const listed = await convert(records);
    expect(listed.report.losses).toContainEqual(
      expect.objectContaining({ code: 'CONTEXT_TEXT_NOT_RECORDED', severity: 'info', count: 1 }),
    );
    expect(await exitCode(records)).toBe(0);
    records.push(attachment('c', 'b', 'file'), attachment('d', 'c', 'skill_listing'));
    const { report } = await convert(records);
    expect(report.losses).toContainEqual(
      expect.objectContaining({ code: 'CONTEXT_TEXT_NOT_RECORDED', severity: 'lossy', count: 3 }),
    );
    expect(await exitCode(records)).toBe(1);
  });

  it('that enters or leaves plan mode changes the mode once', async () => {
    const plan = (uuid: string, parent: string, type: string) =>
      record(uuid, parent, { type: 'attachment', attachment: { type } });
    const { entries } = await convert([
      user('u', null, 'go'),
      plan('p1', 'u', 'plan_mode'),
      says('a', 'p1', 'm', text('a plan')),
      plan('p2', 'a', 'plan_mode'),
      plan('p3', 'p2', 'plan_mode_exit'),
      says('b', 'p3', 'n', text('done')),
    ]);
    expect(entries.filter(({ type }) => type === 'mode_change').map(({ mode }) => mode)).toEqual(['plan', 'none']);
  });

  it('has a provider that is assumed, which is said once', async () => {
    const log = [user('u', null, 'go'), says('a', 'u', 'm', text('1')), says('b', 'a', 'n', text('2'))];
    expect((await convert(log)).report.losses).toContainEqual({
      ...{ code: 'PROVIDER_ASSUMED', severity: 'info', count: 1 },
      examples: [{ line: 2, id: 'a' }],
    });
  });

  it('without a time before all others gets the time at which the session starts', async () => {
    const prompt = user('u', null, 'go');
    const { entries, codes } = await convert([{ type: 'mode', mode: 'normal', sessionId: 's' }, prompt]);
    expect(entries.map(({ timestamp }) => String(timestamp).slice(0, 19))).toEqual(
      entries.map(() => String(prompt['timestamp']).slice(0, 19)),
    );
    expect(codes).toContain('TIME_SYNTH');
    expect(codes).not.toContain('TIME_NONMONO');
  });

  it('that repeats an answer elsewhere is not paid for again', async () => {
    const log = [
      user('u', null, 'go'),
      says('a', 'u', 'm', text('yes')),
      user('v', null, 'go'),
      says('b', 'v', 'm', text('yes')),
    ];
    const { entries, codes } = await convert(log);
    const used = entries.flatMap(({ message }) => ((message as Json)?.['usage'] as Json)?.['output'] ?? []);
    expect(used).toEqual([2, 0]);
    expect(codes).toEqual(expect.arrayContaining(['REPLAYED_PREFIX', 'SECOND_ROOT']));
  });

  it('is a prompt only where a person typed it', async () => {
    const log = [
      user('u', null, 'typed'),
      user('c', 'u', '<command-name>/clear</command-name>'),
      user('o', 'c', '<local-command-stdout>x</local-command-stdout>'),
      user('i', 'o', [text('[Request interrupted by user]')]),
      user('t', 'i', '<task-notification>x</task-notification>'),
      user('g', 't', 'from a task', { origin: { kind: 'task-notification' } }),
      record('q', 'g', {
        type: 'attachment',
        attachment: { type: 'queued_command', prompt: 'queued', commandMode: 'prompt' },
      }),
      user('h', 'q', '<b>bold</b> is typed', { origin: { kind: 'human' } }),
      user('m', 'h', '<teammate-message teammate_id="lead" color="blue">x</teammate-message>'),
      user(
        's',
        'm',
        'Another Claude session sent a message:\n<cross-session-message from="x">x</cross-session-message>',
      ),
    ];
    const ran = await run(['log', '--role', 'user', '-'], { stdin: bytesOf(log) });
    expect(
      ran.stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => line.replace(/^\S+ (?:\(@\) )?user +/, '')),
    ).toEqual(['typed', 'queued', '<b>bold</b> is typed']);
    const { entries } = await convert(log);
    expect(entries.flatMap(({ type, customType }) => (type === 'custom_message' ? [customType] : []))).toEqual([
      'claude-code/command',
      'claude-code/command',
      'claude-code/interrupt',
      'claude-code/command',
      'claude-code/command',
      'claude-code/command',
      'claude-code/command',
    ]);
  });

  it('of a local command is said to the model, as Claude Code does, also where its type is system', async () => {
    const local = (uuid: string, parent: string, content: string): Json =>
      record(uuid, parent, { type: 'system', subtype: 'local_command', content, level: 'info', isMeta: false });
    const log = [
      user('u', null, 'before'),
      local('c', 'u', '<command-name>/model</command-name>'),
      local('o', 'c', '<local-command-stdout>Set model</local-command-stdout>'),
      record('i', 'o', { type: 'system', subtype: 'informational', content: 'only for the screen' }),
      user('v', 'i', 'after'),
    ];
    expect(await contextOf(log)).toEqual([
      'user: before',
      'custom: <command-name>/model</command-name>',
      'custom: <local-command-stdout>Set model</local-command-stdout>',
      'user: after',
    ]);
    const prompts = await run(['log', '--role', 'user', '-'], { stdin: bytesOf(log) });
    expect(prompts.stdout.trim().split('\n')).toHaveLength(2);
  });

  it('names the session: a title of the user before one of the model before a summary, which labels its record', async () => {
    const log: Json[] = [
      { type: 'summary', summary: 'elsewhere', leafUuid: 'gone' },
      user('u', null, 'go'),
      says('a', 'u', 'm', text('yes')),
      { type: 'summary', summary: 'here', leafUuid: 'a' },
    ];
    const omp = async (records: readonly Json[]) => (await convert(records, { dialect: 'omp' })).header?.['title'];
    expect(await omp(log)).toBe('here');
    const ai = { type: 'ai-title', aiTitle: 'by the model', sessionId: 's' };
    expect(await omp([...log, ai])).toBe('by the model');
    expect(await omp([{ type: 'custom-title', customTitle: 'mine', sessionId: 's' }, ...log, ai])).toBe('mine');
    const { entries } = await convert(log);
    expect(entries).toContainEqual(expect.objectContaining({ type: 'label', targetId: 'a', label: 'here' }));
    expect(entries.at(-1)).toMatchObject({ type: 'session_info', name: 'here' });
  });

  it('of a subagent between the others is of another session, which can be converted too', async () => {
    const side = { isSidechain: true };
    const log = [
      user('u', null, 'go'),
      says('a', 'u', 'm', call('c1', { prompt: 'count' })),
      user('s1', null, 'count', side),
      says('s2', 's1', 'n', text('3'), side),
      user('r', 'a', result('c1', '3')),
      says('b', 'r', 'o', text('three')),
    ];
    expect(await contextOf(log)).toEqual(['user: go', 'assistant: c1', 'c1: 3', 'assistant: three']);
    const { report } = await convert(log);
    expect(report.sessions).toMatchObject([{ id: 's/s1', toolCallId: 'c1' }]);
    const child = await convert(log, { session: report.sessions[0]?.nativeId });
    const roles = child.entries.flatMap(({ message }) => (message as Json)?.['role'] ?? []);
    expect(roles).toEqual(['user', 'assistant']);
    expect(child.header).toMatchObject({ id: report.sessions[0]?.nativeId });
  });

  const boundary = (uuid: string, more: object): Json =>
    record(uuid, null, { type: 'system', subtype: 'compact_boundary', logicalParentUuid: 'c', ...more });
  const turns = [
    user('u', null, 'one'),
    says('a', 'u', 'm', text('two')),
    user('v', 'a', 'three'),
    says('c', 'v', 'n', text('four')),
  ];

  it('of a compaction keeps the messages of its list rather than those between its two ends', async () => {
    const compactMetadata = {
      ...{ preTokens: 9, preservedSegment: { headUuid: 'u', tailUuid: 'c', anchorUuid: 'y' } },
      preservedMessages: { anchorUuid: 'y', uuids: ['v', 'c'] },
    };
    const summary = user('y', 'x', 'so far', { isCompactSummary: true });
    const log = [...turns, boundary('x', { compactMetadata }), summary, user('w', 'y', 'five')];
    expect(await contextOf(log)).toEqual(['compactionSummary: so far', 'user: three', 'assistant: four', 'user: five']);
    const { codes, entries } = await convert(log);
    expect(codes).not.toContain('COMPACTION_KEPT_OTHERS');
    expect(entries).toContainEqual(
      expect.objectContaining({ type: 'compaction', tokensBefore: 9, parentId: expect.any(String) }),
    );
  });

  it('of a compaction without a summary is kept, and said to be half', async () => {
    const log = [...turns, boundary('x', {}), user('w', 'x', 'five')];
    const { codes, entries } = await convert(log);
    expect(codes).toContain('COMPACTION_HALF');
    expect(entries).toContainEqual(expect.objectContaining({ customType: 'claude-code/compact_boundary' }));
  });

  it('without a stop reason was aborted where the user interrupted it', async () => {
    const marker = user('i', 'a', [text('[Request interrupted by user]')]);
    const { entries } = await convert([user('u', null, 'go'), says('a', 'u', 'm', text('half')), marker]);
    expect(entries).toContainEqual(
      expect.objectContaining({ message: expect.objectContaining({ stopReason: 'aborted' }) }),
    );
  });

  it('is the leaf where it is the newest, and the log says that another might be', async () => {
    const log = [user('u', null, 'go'), says('a', 'u', 'm', text('yes')), user('v', 'a', 'old branch')];
    const newest = { ...user('w', 'a', 'new branch'), timestamp: '2027-01-01T00:00:00.000Z' };
    const [first, second, third] = log as [Json, Json, Json];
    const swapped = [first, second, newest, third];
    expect((await contextOf(swapped)).at(-1)).toBe('user: new branch');
    expect((await convert(swapped)).codes).toContain('BRANCH_CHOICE');
    const named = [...swapped, { type: 'last-prompt', leafUuid: 'v', sessionId: 's' }];
    expect((await contextOf(named)).at(-1)).toBe('user: old branch');
  });

  it('keeps thinking that the provider encrypted, and numbers as they were written', async () => {
    const log = [user('u', null, 'go'), says('a', 'u', 'm', { type: 'redacted_thinking', data: 'xyz' })];
    const dialects = await Promise.all((['pi', 'omp'] as const).map((dialect) => convert(log, { dialect })));
    expect(
      dialects.map(({ entries }) => entries.flatMap(({ message }) => (message as Json)?.['content'] ?? []).at(-1)),
    ).toEqual([
      { type: 'thinking', thinking: '', thinkingSignature: 'xyz', redacted: true },
      { type: 'redactedThinking', data: 'xyz' },
    ]);
    const raw = bytesOf([user('u', null, 'go'), says('a', 'u', 'm', call('c', { big: '@' }))]);
    const bytes = Buffer.from(raw.toString().replace('"@"', '12345678901234567890'));
    const { lines } = await nativeTextOf(claudeCode, memorySource(bytes));
    expect(lines.join('\n')).toContain('"arguments":{"big":12345678901234567890}');
  });

  it('that has not the shape of its type is kept as it is', async () => {
    const { codes, entries } = await convert([user('u', null, 'go'), record('x', 'u', { type: 'user', message: 7 })]);
    expect(codes).toContain('BAD_SHAPE');
    expect(entries).toContainEqual(expect.objectContaining({ id: 'x', customType: 'claude-code/user' }));
  });
});

describe('the folders of Claude Code', () => {
  it('are those that its variable names, else the two usual ones', () => {
    expect(claudeCode.locations?.({ HOME: '/home/ada' })).toEqual([
      '/home/ada/.claude/projects',
      '/home/ada/.config/claude/projects',
    ]);
    expect(claudeCode.locations?.({ HOME: '/home/ada', CLAUDE_CONFIG_DIR: '/a' })).toEqual(['/a/projects']);
    expect(claudeCode.locations?.({})).toEqual([]);
  });
});
