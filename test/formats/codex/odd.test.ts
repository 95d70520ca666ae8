import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codex } from '../../../src/formats/codex/index.ts';
import type { ConversionOptions, LogSource } from '../../../src/formats/format.ts';
import { memorySource, nativeTextOf } from '../../support/native-form.ts';
import { run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

type Json = Record<string, unknown>;

const time = (at: number): string => new Date(Date.UTC(2026, 2, 2, 9, 0, at)).toISOString();
const meta = (more: object = {}): Json => ({
  ...{ timestamp: time(0), type: 'session_meta' },
  payload: { id: 'me', timestamp: time(0), cwd: '/p', originator: 'o', cli_version: '0.98.0', ...more },
});
const item = (payload: object, more: object = {}): Json => ({
  timestamp: time(1),
  type: 'response_item',
  payload,
  ...more,
});
const event = (payload: object, more: object = {}): Json => ({
  timestamp: time(1),
  type: 'event_msg',
  payload,
  ...more,
});
const said = (role: string, content: unknown, more: object = {}): Json =>
  item({ type: 'message', role, content, ...more });
const asks = (text: string): Json => said('user', [{ type: 'input_text', text }]);
const answers = (text: string): Json => said('assistant', [{ type: 'output_text', text }]);
const call = (id = 'c'): Json => item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: id });
const output = (value: unknown, id = 'c'): Json => item({ type: 'function_call_output', call_id: id, output: value });
const text = (words: string) => ({ type: 'text', text: words });

const bytesOf = (records: readonly Json[]): Buffer =>
  Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''));

async function convertFrom(source: LogSource, count: number, options: Partial<ConversionOptions> = {}) {
  const { lines, report, leftOut } = await nativeTextOf(codex, source, options);
  const { records, mapped, merged, custom, dropped } = report.counts;
  expect([records, mapped + merged + custom + dropped]).toEqual([count, count]);
  const validated = await run(['validate', '-'], { stdin: `${lines.join('\n')}\n` });
  expect(validated.stdout).not.toMatch(/: error: /);
  const [header, ...entries] = lines.map((line): Json => JSON.parse(line));
  const messages = entries.flatMap(({ message }) => (message === undefined ? [] : [message as Json]));
  const customTypes = entries.flatMap(({ customType }) => (customType === undefined ? [] : [customType]));
  return { header, entries, messages, customTypes, report, leftOut, codes: report.losses.map(({ code }) => code) };
}

const convert = (records: readonly Json[], options: Partial<ConversionOptions> = {}) =>
  convertFrom(memorySource(bytesOf(records)), records.length, options);

describe('a tool of Codex', () => {
  it.each<[Json, boolean]>([
    [{ type: 'exec_command_end', exit_code: 0, status: 'failed' }, false],
    [{ type: 'exec_command_end', exit_code: 2 }, true],
    [{ type: 'exec_command_end', status: 'failed' }, true],
    [{ type: 'exec_command_end', status: 'declined' }, true],
    [{ type: 'exec_command_end', status: 'completed' }, false],
    [{ type: 'patch_apply_end', success: false }, true],
    [{ type: 'patch_apply_end', status: 'completed' }, false],
    [{ type: 'patch_apply_end' }, false],
    [{ type: 'mcp_tool_call_end', result: { Ok: { isError: true } } }, true],
    [{ type: 'mcp_tool_call_end', result: { Ok: { is_error: true } } }, true],
    [{ type: 'mcp_tool_call_end', result: { Ok: {} } }, false],
    [{ type: 'mcp_tool_call_end', result: { Err: 'no' } }, true],
    [{ type: 'mcp_tool_call_end', status: 'failed', error: 'no' }, true],
    [{ type: 'dynamic_tool_call_response', success: false }, true],
    [{ type: 'dynamic_tool_call_response', status: 'failed' }, true],
    [{ type: 'dynamic_tool_call_response', success: true, status: 'failed' }, false],
  ])('failed or not, as its end says: %j', async (end, isError) => {
    const log = [meta(), asks('go'), call(), event({ ...end, call_id: 'c' }), output('done')];
    expect((await convert(log)).messages.at(-1)).toMatchObject({ role: 'toolResult', isError });
    const { type, ...rest } = end;
    const names: Record<string, string> = {
      ...{ exec_command_end: 'CommandExecution', patch_apply_end: 'FileChange' },
      ...{ mcp_tool_call_end: 'McpToolCall', dynamic_tool_call_response: 'DynamicToolCall' },
    };
    const newer = event({ type: 'item_completed', item: { ...rest, type: names[String(type)], id: 'c' } });
    const [header, prompt, called, , answer] = log as [Json, Json, Json, Json, Json];
    expect((await convert([header, prompt, called, newer, answer])).messages.at(-1)).toMatchObject({ isError });
  });

  it.each<[string, unknown, Json]>([
    [
      'a command in JSON',
      '{"output":"x","metadata":{"exit_code":1,"duration_seconds":2.34}}',
      { content: [text('x')], isError: true },
    ],
    ['one whose end is not known', '{"output":"x","metadata":{}}', { content: [text('x')], isError: false }],
    [
      'one that JSON.stringify writes otherwise',
      '{"output":"x", "metadata":{"exit_code":0}}',
      { content: [text('x')], isError: false },
    ],
    ['an object with a text', { content: 'x', success: false }, { content: [text('x')], isError: true }],
    [
      'an object with parts',
      { content: 'x', content_items: [{ type: 'input_text', text: 'y' }], success: true },
      { content: [text('y')], isError: false },
    ],
    ['a code at its start', 'Exit code: 3\nrest', { isError: true }],
    ['a code further down', `${'x'.repeat(400)}\n${'y'.repeat(200)}\nProcess exited with code 7`, { isError: true }],
    [
      'a process that goes on',
      'Process running with session ID 12\n',
      { isError: false, details: { codex: { stillRunning: '12' } } },
    ],
    ['a call that the user rejected', 'exec_command failed: rejected by user', { isError: true }],
    ['nothing that tells', 'x', { content: [text('x')], isError: false }],
  ])('gave back %s', async (_name, value, expected) => {
    const { messages, codes } = await convert([meta(), asks('go'), call(), output(value)]);
    expect(messages.at(-1)).toMatchObject(expected);
    expect(codes.includes('ISERROR_UNKNOWN')).toBe(value === 'x' || value === '{"output":"x","metadata":{}}');
  });

  it.each<[string, Json, string]>([
    ['tools', { tools: [{ name: 'grep' }] }, '[{"name":"grep"}]'],
    ['none', {}, '{"type":"tool_search_output","call_id":"c","execution":"client"}'],
  ])('that searched for tools found %s', async (_name, found, shown) => {
    const search = item({ type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: {} });
    const result = item({ type: 'tool_search_output', call_id: 'c', execution: 'client', ...found });
    expect((await convert([meta(), asks('go'), search, result])).messages.at(-1)?.['content']).toEqual([text(shown)]);
  });

  it('keeps what it is called with, whatever kind of call it is', async () => {
    const calls = [
      { type: 'local_shell_call', call_id: 'a', action: { command: ['ls'], timeout_ms: null } },
      { type: 'local_shell_call', call_id: 'b' },
      { type: 'custom_tool_call', call_id: 'd', name: 'patch' },
      { type: 'function_call', call_id: 'e', name: 'f', arguments: '[1]' },
      { type: 'image_generation_call', id: 'g', revised_prompt: 'a cat' },
    ];
    const { messages, codes } = await convert([meta(), asks('go'), ...calls.map((one) => item(one))]);
    const blocks = messages.flatMap(({ role, content }) => (role === 'assistant' ? (content as Json[]) : []));
    expect(blocks.map(({ id, name, arguments: args }) => [id, name, args])).toEqual([
      ['a', 'shell', { command: ['ls'] }],
      ['b', 'local_shell', {}],
      ['d', 'patch', { input: '' }],
      ['e', 'f', { input: '[1]' }],
      ['g', 'image_generation', { prompt: 'a cat' }],
    ]);
    expect(codes).toContain('ARGS_NOT_OBJECT');
  });
});

describe('a message of Codex', () => {
  it.each<[string, unknown, Json[]]>([
    [
      'an image',
      { type: 'input_image', image_url: 'data:image/gif;base64,AA==' },
      [{ type: 'image', data: 'AA==', mimeType: 'image/gif' }],
    ],
    ['an image in a file', { type: 'input_image', file_id: 'f1' }, [text('[image not embedded: f1]')]],
    ['a text alone', 'hello', [text('hello')]],
    ['a part of another kind', { type: 'input_audio' }, [text('[input_audio that cannot be shown]')]],
    ['a part without a type', {}, [text('[content that cannot be shown]')]],
    ['a part that is none', 7, []],
  ])('has %s', async (_name, part, expected) => {
    const { messages } = await convert([meta(), asks('go'), said('assistant', [part])]);
    expect(messages.at(-1)?.['content']).toEqual(expected);
  });

  it('keeps the id of its texts, and images without one', async () => {
    const parts = [
      { type: 'output_text', text: 'a' },
      { type: 'input_image', image_url: 'data:image/gif;base64,AA==' },
    ];
    const { messages } = await convert([meta(), asks('go'), said('assistant', parts, { id: 'msg_1', phase: 'final' })]);
    expect(messages.at(-1)?.['content']).toEqual([
      { ...text('a'), textSignature: '{"v":1,"id":"msg_1","phase":"final"}' },
      { type: 'image', data: 'AA==', mimeType: 'image/gif' },
    ]);
  });

  it('keeps its phase without an id, apart from the message before it', async () => {
    const phase = { phase: 'commentary' };
    const log = [meta(), asks('go'), said('assistant', 'one', phase), said('assistant', 'two', phase)];
    const { stdout } = await run(['context', '--as', 'responses', '-'], { stdin: bytesOf(log) });
    const sent = (words: string) => ({
      ...{ type: 'message', role: 'assistant', phase: 'commentary' },
      content: [{ type: 'output_text', text: words }],
    });
    const items = stdout.trim().split('\n').slice(1);
    expect(items.map((line) => JSON.parse(line))).toEqual([sent('one'), sent('two')]);
  });

  it('of a command that the user ran is one, also where its end is not known', async () => {
    const shell = (result: string) =>
      asks(`<user_shell_command>\n<command>\nls\n</command>\n<result>\n${result}\n</result>\n</user_shell_command>`);
    const { messages } = await convert([meta(), shell('Exit code: 1\nDuration: 1 s\nOutput:\nno'), shell('killed')]);
    expect(messages).toMatchObject([
      { role: 'bashExecution', command: 'ls', exitCode: 1, cancelled: false },
      { role: 'bashExecution', command: 'ls', output: 'killed\n', cancelled: true },
    ]);
    expect(messages[1]).not.toHaveProperty('exitCode');
  });

  it('that is in an event alone is taken, and one that repeats another is not', async () => {
    const log = [
      ...[meta(), event({ type: 'user_message', message: 'first' }), asks('first')],
      ...[event({ type: 'agent_message', message: '  ' }), event({ type: 'agent_message', message: 'only here' })],
      ...[event({ type: 'user_message', message: 'context', kind: 'environment_context' })],
      ...[event({ type: 'user_message', message: 'also only here', kind: 'plain' }), answers('done')],
    ];
    const { messages, customTypes } = await convert(log);
    expect(messages.map(({ content }) => (content as Json[]).map(({ text: words }) => words).join())).toEqual([
      ...['first', 'only here', 'also only here', 'done'],
    ]);
    expect(customTypes).toContain('codex/agent_message');
  });

  it('is shown once though the line of its event is there twice', async () => {
    const prompt = event({ type: 'user_message', message: 'go' });
    const answer = event({ type: 'agent_message', message: 'done' });
    const { messages, codes } = await convert([meta(), asks('go'), prompt, prompt, answer, answer, answers('done')]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(codes).not.toContain('ITEM_MISSING');
  });

  it('is shown once though its event comes after it', async () => {
    const answer = event({ type: 'agent_message', message: 'done' });
    const { messages, codes } = await convert([meta(), asks('go'), answers('done'), answer]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(codes).not.toContain('ITEM_MISSING');
    // The second of two same answers is only in its event.
    const twice = await convert([meta(), asks('go'), answer, answers('done'), asks('again'), answer]);
    expect(twice.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('is in a session of its own time and id where the header is lost, which is reported', async () => {
    const one = await convert([asks('go'), answers('done')]);
    const other = await convert([asks('go on'), answers('done')]);
    expect(one.header).toMatchObject({ timestamp: time(1) });
    expect(one.header?.['id']).not.toBe(other.header?.['id']);
    expect([one, other].map(({ codes }) => codes.includes('HEADER_MISSING'))).toEqual([true, true]);
  });

  it('of the model is missing where the session has just begun, which is reported', async () => {
    expect((await convert([meta(), asks('go')])).codes).toContain('NO_ASSISTANT');
    expect((await convert([meta(), asks('go'), answers('done')])).codes).not.toContain('NO_ASSISTANT');
  });

  it('of a type that nobody knows is kept for the model', async () => {
    const log = [
      meta(),
      asks('go'),
      item({ type: 'hologram', content: [{ type: 'x', text: 'hi' }] }),
      item({ id: 'x' }),
    ];
    const { entries } = await convert(log);
    const notes = entries.filter(({ type }) => type === 'custom_message');
    expect(notes.map(({ customType }) => customType)).toEqual(['codex/hologram', 'codex/item']);
  });
});

describe('the tokens of a Codex session', () => {
  const usage = (total?: number) => ({
    input_tokens: 3,
    output_tokens: 2,
    ...(total === undefined ? {} : { total_tokens: total }),
  });
  const used = async (...records: readonly Json[]) =>
    (await convert([meta(), asks('go'), ...records])).entries.flatMap(({ message, usage: spent }) => {
      const own = spent ?? (message as Json | undefined)?.['usage'];
      return own === undefined ? [] : [(own as Json)['output']];
    });
  const count = (info: unknown) => event({ type: 'token_count', info });
  const record = (payload: object): Json => ({ timestamp: time(1), type: 'token_usage_record', payload });

  it('are counted once, by events or by records', async () => {
    const last = { last_token_usage: usage(5) };
    expect(
      await used(
        answers('a'),
        count({ ...last, total_token_usage: usage(5) }),
        count({ ...last, total_token_usage: usage(5) }),
      ),
    ).toEqual([2]);
    expect(await used(answers('a'), count({ last_token_usage: usage() }), count(null), count({}))).toEqual([2]);
    expect(
      await used(
        answers('a'),
        record({ response_id: 'r', usage: usage(5) }),
        record({ response_id: 'r', usage: usage(5) }),
        count(last),
      ),
    ).toEqual([2]);
    expect(await used(answers('a'), record({ usage: usage() }))).toEqual([2]);
    expect(await used(answers('a'), record({ response_id: 'r' }))).toEqual([0]);
  });
});

describe('a turn of Codex', () => {
  it('that ran out of its budget was aborted', async () => {
    const { messages, codes } = await convert([
      meta(),
      asks('go'),
      answers('ha'),
      event({ type: 'turn_aborted', reason: 'budget_limited' }),
    ]);
    expect(messages.at(-1)).toMatchObject({ stopReason: 'aborted' });
    expect(codes).toContain('BUDGET');
  });

  it.each<[string, unknown, string[]]>([
    ['no turn', 0, ['one', 'two', 'three']],
    ['a number that is none', 'x', ['one', 'two', 'three']],
    ['one turn', 1, ['one', 'three']],
    ['more turns than there are', 9, ['three']],
  ])('is taken back with those before it: %s', async (_name, turns, left) => {
    const log = [
      meta(),
      asks('one'),
      asks('two'),
      event({ type: 'thread_rolled_back', num_turns: turns }),
      asks('three'),
    ];
    const { stdout } = await run(['context', '-'], { stdin: bytesOf(log) });
    const seen = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Json]));
    expect(seen.map(({ content }) => (content as Json[])[0]?.['text'])).toEqual(left);
  });

  it('keeps its model and its title where a later record does not name them', async () => {
    const context = (more: object): Json => ({ timestamp: time(1), type: 'turn_context', payload: more });
    const log = [
      ...[meta(), context({ model: 'gpt-x', effort: 'none' }), asks('go'), answers('a')],
      ...[event({ type: 'thread_name_updated', thread_name: 'Named' }), event({ type: 'thread_name_updated' })],
      ...[context({ collaboration_mode: { settings: { reasoning_effort: 'high' } } }), asks('on'), answers('b')],
    ];
    const { messages, entries, header } = await convert(log, { dialect: 'omp' });
    expect(messages.filter(({ role }) => role === 'assistant').map(({ model }) => model)).toEqual(['gpt-x', 'gpt-x']);
    expect(entries.flatMap(({ thinkingLevel }) => thinkingLevel ?? [])).toEqual(['off', 'high']);
    expect(header).toMatchObject({ title: 'Named' });
  });
});

describe('a compaction of Codex without a stored history', () => {
  const compacted: Json = { timestamp: time(1), type: 'compacted', payload: { message: 'so far' } };
  const historyOf = async (records: readonly Json[]): Promise<string[]> => {
    const { entries, codes } = await convert([meta(), ...records, compacted]);
    expect(codes).toContain('CONTEXT_APPROX');
    const { preserveData } = entries.find(({ type }) => type === 'compaction') as {
      preserveData: { openaiRemoteCompaction: Json };
    };
    const history = preserveData.openaiRemoteCompaction['replacementHistory'] as { content: unknown }[];
    return history.map(({ content }) =>
      Array.isArray(content) ? String(content[0]?.text ?? content[0]) : String(content),
    );
  };

  it('has what Codex said before the last prompt, all prompts, and the summary', async () => {
    const context = (words: string) => asks(`<environment_context>${words}</environment_context>`);
    const log = [
      context('old'),
      asks('one'),
      context('a'),
      context('b'),
      asks('two'),
      said('user', 'three'),
      said('user', ['four']),
    ];
    expect(await historyOf(log)).toEqual([
      '<environment_context>a</environment_context>',
      '<environment_context>b</environment_context>',
      ...['one', 'two', 'three', 'four', 'so far'],
    ]);
  });

  it('has no prompts that were rolled back', async () => {
    const rollback = (turns: number) => event({ type: 'thread_rolled_back', num_turns: turns });
    const log = [asks('one'), asks('two'), asks('three'), rollback(2), rollback(0), asks('four')];
    expect(await historyOf(log)).toEqual(['one', 'four', 'so far']);
    expect(await historyOf([asks('one'), rollback(5), asks('two')])).toEqual(['two', 'so far']);
  });

  it('has all prompts where a rollback says no whole number of turns', async () => {
    const rollback = (turns: unknown) => event({ type: 'thread_rolled_back', num_turns: turns });
    const log = [asks('one'), rollback(0.5), asks('two'), rollback(1.5), rollback(-1), rollback('1'), asks('three')];
    expect(await historyOf(log)).toEqual(['one', 'two', 'three', 'so far']);
  });

  it('leaves out the oldest prompts where they are very long', async () => {
    const long = ['a', 'b', 'c'].map((letter) => asks(letter.repeat(60_000)));
    const history = await historyOf(long);
    expect(history.map((words) => words[0])).toEqual(['c', 's']);
    expect((await historyOf([asks('a'.repeat(300_000))])).map((words) => words[0])).toEqual(['a', 's']);
  });
});

describe('a rollout of Codex as one document', () => {
  const document = (value: unknown): Buffer =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value, null, 2));

  it('has records with the lines that they start on, and leaves out what is none', async () => {
    const items = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] }, 'odd'];
    const bytes = document({ session: { id: 'me', timestamp: time(0), instructions: '' }, items });
    const { messages, codes } = await convertFrom(memorySource(bytes), 3);
    expect(messages.map(({ content }) => content)).toEqual([[text('go')]]);
    expect(codes).toContain('DAMAGED_LINE');
    const { stdout } = await run(['log', '--json', '--role', 'user', '-'], { stdin: bytes });
    expect(JSON.parse(stdout)).toMatchObject({ line: 8 });
  });

  it.each<[string, unknown, number]>([
    ['without items', { session: { id: 'me' }, items: null }, 1],
    ['without a session', { items: [{ type: 'message', role: 'user', content: 'go' }] }, 2],
  ])('may be %s', async (_name, value, count) => {
    const { messages } = await convertFrom(memorySource(document(value)), count);
    expect(messages).toHaveLength(count - 1);
  });

  it('that is cut off is damaged', async () => {
    const { leftOut, codes } = await convertFrom(memorySource(document('{\n "session": {"id":"me"},\n "items": [')), 1);
    expect(leftOut).toEqual([3]);
    expect(codes).toContain('DAMAGED_LINE');
  });
});

describe('what is beside a rollout of Codex', () => {
  const scratch = scratchFolder();
  /** A rollout in a folder with others, as a source. */
  const beside = (log: readonly Json[], others: Readonly<Record<string, readonly Json[]>>): LogSource => {
    const folder = join(mkdtempSync(join(scratch, 'codex-')), 'sessions');
    mkdirSync(folder);
    for (const [name, records] of Object.entries(others)) writeFileSync(join(folder, name), bytesOf(records));
    const path = join(folder, 'rollout-me.jsonl');
    writeFileSync(path, bytesOf(log));
    return memorySource(bytesOf(log), { path, name: path });
  };
  const forked = (base: object): Json[] => [meta({ history_base: base }), asks('mine')];
  const parent = (...records: readonly Json[]): Json[] => [
    { ...meta(), payload: { id: 'old', timestamp: time(0) } },
    ...records,
  ];
  const textsOf = (messages: readonly Json[]) => messages.map(({ content }) => (content as Json[])[0]?.['text']);

  it('is what a fork continues, by its name or by its first record, up to where the fork was made', async () => {
    const numbered = parent({ ...asks('one'), ordinal: 1 }, { ...asks('two'), ordinal: 2 });
    for (const name of ['rollout-old.jsonl', 'other.jsonl']) {
      const source = beside(forked({ thread_id: 'old', end_ordinal_exclusive: 2 }), { [name]: numbered });
      expect(textsOf((await convertFrom(source, 2)).messages)).toEqual(['one', 'mine']);
    }
    const end = bytesOf(numbered.slice(0, 2)).length;
    const bytes = beside(forked({ thread_id: 'old', end_byte_offset: end }), { 'rollout-old.jsonl': numbered });
    expect(textsOf((await convertFrom(bytes, 2)).messages)).toEqual(['one', 'mine']);
  });

  it('is what a fork of a fork continues, once', async () => {
    const oldest = [{ ...meta(), payload: { id: 'oldest', timestamp: time(0) } }, asks('zero')];
    const old = [
      { ...meta(), payload: { id: 'old', timestamp: time(0), history_base: { thread_id: 'oldest' } } },
      asks('one'),
    ];
    const source = beside(forked({ thread_id: 'old' }), { 'rollout-old.jsonl': old, 'rollout-oldest.jsonl': oldest });
    expect(textsOf((await convertFrom(source, 2)).messages)).toEqual(['zero', 'one', 'mine']);
    const circle = [
      { ...meta(), payload: { id: 'old', timestamp: time(0), history_base: { thread_id: 'me' } } },
      asks('one'),
    ];
    const round = await convertFrom(beside(forked({ thread_id: 'old' }), { 'rollout-old.jsonl': circle }), 2);
    expect(textsOf(round.messages)).toEqual(['one', 'mine']);
    expect(round.codes).toContain('MISSING_BASE');
  });

  it('is missing where nothing has the id, there is none, or its file is gone', async () => {
    const others = { 'other.jsonl': parent(asks('one')) };
    for (const thread_id of ['nobody', '', 7]) {
      const { codes, messages } = await convertFrom(beside(forked({ thread_id }), others), 2);
      expect(codes).toContain('MISSING_BASE');
      expect(textsOf(messages)).toEqual(['mine']);
    }
    const source = beside(forked({ thread_id: 'old' }), others);
    const gone = { ...source, chunks: () => source.chunks(), open: async () => undefined };
    expect((await convertFrom(gone, 2)).codes).toContain('MISSING_BASE');
  });

  it('is told apart only by name where there are hundreds of files', async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`r${at}.jsonl`, parent(asks('one'))]));
    expect((await convertFrom(beside(forked({ thread_id: 'old' }), many), 2)).codes).toContain('MISSING_BASE');
    const named = { ...many, 'rollout-old.jsonl': parent(asks('one')) };
    expect(textsOf((await convertFrom(beside(forked({ thread_id: 'old' }), named), 2)).messages)).toEqual([
      'one',
      'mine',
    ]);
  });

  it.each<[string, Json, Json]>([
    [
      'as newer versions do',
      {
        type: 'item_completed',
        item: { type: 'SubAgentActivity', id: 'c', agent_thread_id: 'sub', agent_path: 'a/b' },
      },
      { title: 'a/b', toolCallId: 'c' },
    ],
    [
      'as older versions do',
      {
        type: 'collab_agent_spawn_end',
        call_id: 'c',
        new_thread_id: 'sub',
        new_agent_nickname: 'Bo',
        new_agent_role: 'scout',
      },
      { title: 'Bo', toolCallId: 'c' },
    ],
    ['without more', { type: 'collab_agent_spawn_end', call_id: 'other', new_thread_id: 'sub' }, {}],
  ])('is the session of an agent, named %s', async (_name, named, expected) => {
    const log = [meta(), asks('go'), call(), event(named), event(named), output('done')];
    const { report } = await convertFrom(beside(log, { 'rollout-sub.jsonl': parent() }), log.length);
    expect(report.sessions).toEqual([
      { id: 'sub', nativeId: expect.any(String), path: expect.stringContaining('rollout-sub'), ...expected },
    ]);
  });

  it('is not asked for where an agent has no id', async () => {
    const log = [meta(), asks('go'), event({ type: 'collab_agent_spawn_end' })];
    const { report, customTypes } = await convert(log);
    expect(report.sessions).toEqual([]);
    expect(customTypes).toContain('codex/collab_agent_spawn_end');
  });
});
