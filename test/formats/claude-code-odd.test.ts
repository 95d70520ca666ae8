import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/formats/claude-code/index.ts';
import type { ConversionOptions, LogSource } from '../../src/formats/format.ts';
import { memorySource, nativeTextOf } from '../support/native-form.ts';
import { settings } from '../support/properties.ts';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

type Json = Record<string, unknown>;

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const record = (uuid: string, parentUuid: string | null, more: object): Json => ({
  ...{ uuid, parentUuid, isSidechain: false, sessionId: 's', version: '2.1.100', cwd: '/w', timestamp: at(1) },
  ...more,
});
const user = (uuid: string, parent: string | null, content: unknown, more: object = {}): Json =>
  record(uuid, parent, { type: 'user', message: { role: 'user', content }, ...more });
/** An answer of one record; members of its message may be replaced. */
const says = (uuid: string, parent: string | null, content: unknown, message: object = {}, more: object = {}): Json =>
  record(uuid, parent, {
    ...{ type: 'assistant', message: { id: `m-${uuid}`, model: 'claude-x', content, usage: {}, ...message } },
    ...more,
  });
const text = (words: unknown) => ({ type: 'text', text: words });
const call = (id: unknown, more: object = {}) => ({ type: 'tool_use', id, name: 'Bash', input: {}, ...more });
const result = (id: unknown, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content });
const bytesOf = (records: readonly Json[]): Buffer =>
  Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''));

async function convertFrom(source: LogSource, count: number, options: Partial<ConversionOptions> = {}) {
  const { lines, report } = await nativeTextOf(claudeCode, source, options);
  const { records, mapped, merged, custom, dropped } = report.counts;
  expect([records, mapped + merged + custom + dropped]).toEqual([count, count]);
  const validated = await run(['validate', '-'], { stdin: `${lines.join('\n')}\n` });
  expect(validated.stdout).not.toMatch(/: error: /);
  const [header, ...entries] = lines.map((line): Json => JSON.parse(line));
  const messages = entries.flatMap(({ message }) => (message === undefined ? [] : [message as Json]));
  const customTypes = entries.flatMap(({ customType }) => (customType === undefined ? [] : [customType]));
  return { header, entries, messages, customTypes, report, codes: report.losses.map(({ code }) => code) };
}

const convert = (records: readonly Json[], options: Partial<ConversionOptions> = {}) =>
  convertFrom(memorySource(bytesOf(records)), records.length, options);

describe('an answer of Claude Code', () => {
  const answered = async (...answers: readonly Json[]) =>
    (await convert([user('u', null, 'go'), ...answers])).messages.filter(({ role }) => role === 'assistant');

  it.each<[string, Json, Json]>([
    ['ends as the model said', { stop_reason: 'max_tokens' }, { stopReason: 'length' }],
    [
      'that the model refused is an error',
      { stop_reason: 'refusal' },
      { stopReason: 'error', errorMessage: 'refusal' },
    ],
    ['with an unknown end has stopped', { stop_reason: 'tired' }, { stopReason: 'stop' }],
    ['with calls waits for them, whatever its end is', { content: [call('c')] }, { stopReason: 'toolUse' }],
    ['without an id has none', { id: undefined }, { content: [text('yes')] }],
    ['of the agent itself is under the name of the model', { model: '<synthetic>' }, { model: 'unknown' }],
    ['with an empty model is, too', { model: '' }, { model: 'unknown' }],
  ])('%s', async (_name, message, expected) => {
    const [answer] = await answered(says('a', 'u', [text('yes')], message));
    expect(answer).toMatchObject(expected);
  });

  it('that was cut off in the middle was aborted', async () => {
    const [answer] = await answered(
      says('a', 'u', [text('ye')], { stop_reason: 'end_turn' }, { isAbortedMidStream: true }),
    );
    expect(answer).toMatchObject({ stopReason: 'aborted' });
  });

  it('has used what the record with the most output says', async () => {
    const usages = [{ input_tokens: 3, output_tokens: 9 }, { input_tokens: 3, output_tokens: 1 }, { input_tokens: 3 }];
    const parts = usages.map((usage, n) =>
      says(`a${n}`, n === 0 ? 'u' : `a${n - 1}`, [text(`${n}`)], { id: 'm', usage }),
    );
    const [answer] = await answered(...parts);
    expect(answer).toMatchObject({ content: parts.map((_, n) => text(`${n}`)), usage: { input: 3, output: 9 } });
  });

  it('keeps blocks that native logs do not have beside it, with words in their place', async () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const odd = [
      search,
      { type: 'redacted_thinking' },
      { type: 'connector_text', title: 'Notes' },
      { type: 'x', tool_name: 'y' },
    ];
    const { messages, entries, codes } = await convert([user('u', null, 'go'), says('a', 'u', odd)]);
    expect(messages[1]?.['content']).toEqual(
      ['[server_tool_use: web_search]', '[redacted_thinking]', '[connector_text: Notes]', '[x: y]'].map(text),
    );
    expect(codes).toContain('BLOCK_AS_TEXT');
    const extra = entries.find(({ customType }) => customType === 'claude-code/extra');
    expect(extra).toMatchObject({ data: { target: 'a', fields: { blocks: odd } } });
  });

  it.each<[string, Json, Json]>([
    ['a text that is missing is empty', { type: 'text' }, text('')],
    [
      'thinking that is missing is empty',
      { type: 'thinking', signature: 's' },
      { type: 'thinking', thinking: '', thinkingSignature: 's' },
    ],
    [
      'thinking with an empty signature has none',
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'thinking', thinking: 'hm' },
    ],
    ['a call of a tool without a name', call('c', { name: 5 }), { type: 'toolCall', id: 'c', name: '', arguments: {} }],
    [
      'a call with a text as its input',
      call('c', { input: 'ls' }),
      { type: 'toolCall', id: 'c', name: 'Bash', arguments: { input: 'ls' } },
    ],
    ['a call without an id is words', call(undefined), text('[tool_use: Bash]')],
  ])('%s', async (_name, block, expected) => {
    expect((await answered(says('a', 'u', [block])))[0]?.['content']).toEqual([expected]);
  });

  it('that repeats a call which is answered does not open it again', async () => {
    const log = [
      user('u', null, 'go'),
      says('a', 'u', [call('c')]),
      user('r', 'a', [result('c', 'done')]),
      says('b', 'r', [call('c')]),
    ];
    const { codes, messages } = await convert([...log, user('r2', 'b', [result('c', 'again')])]);
    expect(codes).toContain('DUP_RESULT');
    expect(messages.filter(({ role }) => role === 'toolResult')).toHaveLength(1);
    expect((await convert(log)).codes).not.toContain('PENDING_CALL');
  });

  it('of which a record without a parent comes later is still one answer with the first', async () => {
    const parts = [
      says('a', null, [text('one')], { id: 'm' }),
      user('p', 'a', 'wait'),
      says('b', null, [text('two')], { id: 'm' }),
    ];
    const { messages } = await convert(parts);
    expect(messages.map(({ content }) => content)).toEqual([[text('one'), text('two')], 'wait']);
  });
});

describe('an answer of Claude Code whose id is that of an answer before it', () => {
  it.each([
    ['a prompt', 'go on'],
    ['a command', '<command-name>/cost</command-name>'],
    ['an interruption', '[Request interrupted by user]'],
  ])('is another one behind %s', async (_name, between) => {
    const log = [
      user('u', null, 'go'),
      says('a', 'u', [text('one')], { id: 'm' }),
      user('p', 'a', between),
      says('b', 'p', [text('two')], { id: 'm' }),
      user('q', 'b', 'end'),
    ];
    const { entries } = await convert(log);
    const said = entries.flatMap(({ type, content, message }) =>
      type === 'custom_message' ? [content] : ((message as Json | undefined)?.['content'] ?? []),
    );
    expect(said).toEqual(['go', text('one'), between, text('two'), 'end']);
  });

  it('is another one where the id is empty', async () => {
    const unnamed = { id: '', usage: { output_tokens: 5 } };
    const said = [says('a', 'u', [text('one')], unnamed), says('b', 'a', [text('two')], unnamed)];
    const { messages } = await convert([user('u', null, 'go'), ...said]);
    expect(messages.map(({ content }) => content)).toEqual(['go', [text('one')], [text('two')]]);
    expect(messages.slice(1).map(({ usage }) => (usage as Json)['output'])).toEqual([5, 5]);
  });
});

describe('what a user or a tool said to Claude Code', () => {
  const image = (source: unknown) => ({ type: 'image', source });

  it.each<[string, Json, Json]>([
    [
      'an image keeps its bytes',
      image({ type: 'base64', data: 'AA==', media_type: 'image/gif' }),
      { type: 'image', data: 'AA==', mimeType: 'image/gif' },
    ],
    [
      'an image of no type is taken for PNG',
      image({ type: 'base64', data: 'AA==' }),
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
    ],
    [
      'an image elsewhere is named',
      image({ type: 'url', url: 'https://x.test/a.png' }),
      text('[image not embedded: https://x.test/a.png]'),
    ],
    ['an image in a file is named', image({ type: 'file', file_id: 'f1' }), text('[image not embedded: f1]')],
    ['an image that is nowhere is said to be', image(null), text('[image not embedded: unknown]')],
    ['a text that is missing is empty', { type: 'text' }, text('')],
    ['a document is named', { type: 'document', title: 'Plan' }, text('[document: Plan]')],
  ])('%s, in a prompt and in a result', async (_name, block, expected) => {
    const log = [user('u', null, [block]), says('a', 'u', [call('c')]), user('r', 'a', [result('c', [block])])];
    const { messages, codes } = await convert(log);
    expect(messages.map(({ content }) => content)).toEqual([[expected], expect.anything(), [expected]]);
    expect(codes.includes('IMAGE_REF')).toBe(JSON.stringify(expected).includes('not embedded'));
    expect(codes.includes('BLOCK_AS_TEXT')).toBe(block['type'] === 'document');
  });

  it.each<[string, Json, string]>([
    ['is a prompt', text('and now this'), 'user'],
    [
      'is a note where the user interrupted',
      text('[Request interrupted by user for tool use]'),
      'claude-code/interrupt',
    ],
    ['is a note where the agent put it in', text('<system-reminder>x</system-reminder>'), 'claude-code/command'],
  ])('beside a result %s', async (_name, block, kind) => {
    const log = [user('u', null, 'go'), says('a', 'u', [call('c')]), user('r', 'a', [result('c', 'done'), block])];
    const { entries } = await convert(log);
    const [last] = entries.slice(-1);
    expect((last?.['message'] as Json | undefined)?.['role'] ?? last?.['customType']).toBe(kind);
    const answer = entries.find(({ id }) => id === 'r');
    expect(last?.['parentId']).toBe(answer?.['id']);
  });

  it('beside a result is a note where the agent itself wrote the record, whatever it is', async () => {
    const said = [result('c', 'done'), text('one'), { type: 'document', title: 'two' }];
    const log = [user('u', null, 'go'), says('a', 'u', [call('c')]), user('r', 'a', said, { isMeta: true })];
    const { entries } = await convert(log);
    expect(entries.find(({ type }) => type === 'custom_message')).toMatchObject({
      customType: 'claude-code/meta',
      content: [text('one'), text('[document: two]')],
    });
  });

  it('as an answer to no call, or to one that does not say which, is kept', async () => {
    const log = [
      user('u', null, 'go'),
      says('a', 'u', [call('c')]),
      user('r', 'a', [result(7, 'whose?'), result('c', 'done')]),
    ];
    const { messages, codes } = await convert(log);
    expect(messages.filter(({ role }) => role === 'toolResult').map(({ toolCallId }) => toolCallId)).toEqual(['', 'c']);
    expect(codes).toContain('ORPHAN_RESULT');
  });

  it('that is marked for the transcript is said to the model, as Claude Code does unless it is a summary', async () => {
    const log = [user('u', null, 'go'), user('v', 'u', 'seen by both', { isVisibleInTranscriptOnly: true })];
    expect((await convert(log)).messages.map(({ content }) => content)).toEqual(['go', 'seen by both']);
  });
});

describe('an attachment of Claude Code', () => {
  const attachment = (about: Json, more: object = {}): Json =>
    record('x', 'u', { type: 'attachment', attachment: about, ...more });
  const converted = (about: Json, more: object = {}, options = {}) =>
    convert([user('u', null, 'go'), attachment(about, more)], options);

  it.each<[string, unknown, unknown]>([
    ['one text', [{ content: 'a' }], 'a'],
    ['several texts', [{ content: 'a' }, { content: [text('b'), 7] }], [text('a'), text('b')]],
    ['blocks', [{ content: [text('a')] }], [text('a')]],
  ])('says to the model what is stored of it: %s', async (_name, rendered, content) => {
    const { entries, codes } = await converted({ type: 'file' }, { rendered });
    expect(entries.find(({ id }) => id === 'x')).toMatchObject({
      type: 'custom_message',
      content,
      details: { role: 'user' },
    });
    expect(codes).not.toContain('CONTEXT_TEXT_NOT_RECORDED');
  });

  it('of which nothing is stored says nothing', async () => {
    const { entries, codes } = await converted({ type: 'file' }, { rendered: [{ content: 5 }] });
    expect(entries.find(({ id }) => id === 'x')).toMatchObject({
      type: 'custom',
      customType: 'claude-code/attachment/file',
    });
    expect(codes).not.toContain('CONTEXT_TEXT_NOT_RECORDED');
  });

  it('keeps the role that it was said in, which the model then sees as the user', async () => {
    const { entries, codes } = await converted(
      { type: 'file' },
      { rendered: [{ content: 'a' }], renderedRole: 'system' },
    );
    expect(entries.find(({ id }) => id === 'x')).toMatchObject({ details: { role: 'system' } });
    expect(codes).toContain('SYSTEM_AS_USER');
  });

  it.each<[string, Json, boolean]>([
    ['typed while the model spoke is a prompt', { prompt: 'queued' }, true],
    ['of blocks is one, too', { prompt: [text('queued')] }, true],
    ['of a command is none', { prompt: 'ls', commandMode: 'bash' }, false],
    ['of the agent itself is none', { prompt: 'tick', isMeta: true }, false],
    ['without words is none', { commandMode: 'prompt' }, false],
  ])('%s', async (_name, about, isPrompt) => {
    const { messages } = await converted({ type: 'queued_command', ...about });
    expect(messages.map(({ content }) => content)).toEqual(isPrompt ? ['go', about['prompt']] : ['go']);
  });
});

describe('the tree of Claude Code', () => {
  it('takes a record that is its own parent, or hangs from one that is', async () => {
    const { messages } = await convert([user('u', 'u', 'go'), user('v', 'u', 'on')]);
    expect(messages.map(({ content }) => content)).toEqual(['go', 'on']);
  });

  it.each<[string, Json, string]>([
    [
      'a system record by its subtype',
      { type: 'system', subtype: 'turn_duration' },
      'claude-code/system/turn_duration',
    ],
    ['a system record without one', { type: 'system' }, 'claude-code/system/unknown'],
    ['progress', { type: 'progress', data: {} }, 'claude-code/progress'],
    ['an answer without a message', { type: 'assistant' }, 'claude-code/assistant'],
    ['a record without a type', { note: 1 }, 'claude-code/unknown'],
    ['an attachment without a type', { type: 'attachment', attachment: {} }, 'claude-code/attachment/unknown'],
  ])('keeps %s', async (_name, more, customType) => {
    const { customTypes, entries } = await convert([
      user('u', null, 'go'),
      record('x', 'u', more),
      user('v', 'x', 'on'),
    ]);
    expect(customTypes).toContain(customType);
    expect(entries.find(({ id }) => id === 'v')?.['parentId']).toBe('x');
  });

  it('names the branch that a folder is on', async () => {
    const log = [
      user('u', null, 'go', { gitBranch: 'main' }),
      user('v', 'u', 'on', { gitBranch: 'fix' }),
      user('w', 'v', 'on', { cwd: '/x' }),
    ];
    const { entries } = await convert(log);
    expect(entries.filter(({ customType }) => customType === 'claude-code/cwd').map(({ data }) => data)).toEqual([
      { cwd: '/w', gitBranch: 'main' },
      { cwd: '/w', gitBranch: 'fix' },
      { cwd: '/x' },
    ]);
  });

  it.each<[string, Json, string]>([
    ['near the record before it hangs from that', { timestamp: at(3) }, 'u'],
    ['far from it is a root', { timestamp: at(59) }, 'root'],
    ['without a time is a root', { timestamp: undefined }, 'root'],
  ])('takes a record whose parent is lost: %s', async (_name, more, parent) => {
    const { entries, codes } = await convert([user('u', null, 'go'), user('v', 'gone', 'on', more)]);
    const found = entries.find(({ id }) => id === 'v')?.['parentId'];
    expect(found).toBe(parent === 'u' ? 'u' : entries[0]?.['id']);
    expect(codes).toContain('MISSING_PARENT');
    expect(codes.includes('SECOND_ROOT')).toBe(parent === 'root');
  });

  it.each(['gone', null])('is read with a note on the line that starts another branch: %s', async (parent) => {
    const lost = bytesOf([user('u', null, 'go'), user('v', parent, 'on', { timestamp: at(59) })]);
    const ran = await run(['log', '--role', 'user', '-'], { stdin: lost });
    expect(ran.stdout).toBe('v (@) user       on\n');
    expect(ran.stderr).toMatch(/^sessionctl: -:2: this record has no parent in the file, so what was before it is/);
    const first = await run(['log', '-'], { stdin: bytesOf([user('v', 'gone', 'on')]) });
    expect(first.stderr).toBe('');
  });

  it('ends with a message, even if the records behind the last one are cut off from it', async () => {
    for (const version of ['2.1.100', '2.1.325']) {
      const attachment = { type: 'attachment', attachment: { type: 'date' }, version };
      const beside = record('b', 'gone', { ...attachment, timestamp: at(59) });
      for (const end of [[], [{ type: 'last-prompt', leafUuid: 'b' }]]) {
        const stdin = bytesOf([user('u', null, 'go', { version }), beside, ...end]);
        const ran = await run(['context', '-'], { stdin });
        expect(JSON.parse(ran.stdout)).toMatchObject({ content: 'go' });
      }
    }
  });

  it('is empty where a log has only records beside it', async () => {
    const { messages, customTypes, header } = await convert([
      { type: 'mode', mode: 'normal' },
      { type: 'tag', tag: 'x' },
    ]);
    expect(messages).toEqual([]);
    expect(customTypes).toEqual(expect.arrayContaining(['claude-code/mode', 'claude-code/tag']));
    expect(header).toMatchObject({ type: 'session', version: 3 });
  });

  it('is found behind hundreds of records that do not name a session', async () => {
    const beside = Array.from({ length: 300 }, (_, n) => ({ type: 'mode', mode: `${n}` }));
    const { messages } = await convert([...beside, user('u', null, 'go', { sessionId: undefined })]);
    expect(messages.map(({ content }) => content)).toEqual(['go']);
  });

  it('ends with what was written last from the version on that names its end', async () => {
    const log = (version: string | undefined): Json[] => [
      user('u', null, 'go', { version }),
      user('v', 'u', 'new', { version, timestamp: at(30) }),
      user('w', 'u', 'old', { version, timestamp: at(20) }),
    ];
    const leafOf = async (version: string | undefined): Promise<unknown> =>
      (await convert(log(version))).entries.findLast(({ type }) => type !== 'session_info')?.['parentId'];
    const isNewest = await Promise.all(['2.1.100', '1.9.999', undefined, '2.1'].map(leafOf));
    expect(isNewest).toEqual(['v', 'v', 'v', 'v']);
    const { entries } = await convert(log('2.1.326'));
    expect(entries.at(-1)?.['id']).toBe('w');
  });
});

describe('a compaction of Claude Code', () => {
  const boundary = (more: object = {}): Json =>
    record('x', null, { type: 'system', subtype: 'compact_boundary', ...more });
  const summary = (content: unknown, parent: string | null = 'x'): Json =>
    user('y', parent, content, { isCompactSummary: true });
  const compactionOf = async (log: readonly Json[]) => {
    const { entries, codes } = await convert(log);
    return { compaction: entries.find(({ type }) => type === 'compaction'), codes, entries };
  };

  it('at the start of a log follows nothing, and does not say how much it replaced', async () => {
    const { compaction } = await compactionOf([
      boundary(),
      summary([text('so far'), { type: 'image' }]),
      user('v', 'y', 'on'),
    ]);
    expect(compaction).toMatchObject({ id: 'x', summary: 'so far\n', tokensBefore: 0, firstKeptEntryId: 'x' });
    expect(compaction).not.toHaveProperty('details');
  });

  it('is made from a summary alone where its boundary is lost, and nothing is known above it', async () => {
    expect((await compactionOf([summary('so far', null)])).compaction).toMatchObject({ id: 'y' });
    const log = [user('u', null, 'go'), summary('so far', 'u'), user('v', 'y', 'on')];
    const { compaction, entries } = await compactionOf(log);
    expect(compaction).toBeUndefined();
    expect(entries.find(({ id }) => id === 'y')).toMatchObject({ content: 'so far', parentId: 'u' });
  });

  it('whose boundary is lost is reported, unless it is the first of all', async () => {
    const lost = await compactionOf([user('u', null, 'go'), summary('so far', 'x')]);
    expect(lost.compaction).toMatchObject({ id: 'y', summary: 'so far', parentId: 'u' });
    expect(lost.codes).toContain('MISSING_PARENT');
    expect((await compactionOf([summary('so far', null)])).codes).not.toContain('MISSING_PARENT');
  });

  it('without a summary at the start of a log is kept as a root', async () => {
    const { codes, entries } = await compactionOf([boundary(), user('v', 'x', 'on')]);
    expect(codes).toContain('COMPACTION_HALF');
    expect(entries.find(({ id }) => id === 'x')).toMatchObject({ type: 'custom', parentId: entries[0]?.['id'] });
  });

  it('that has lost its summary shows what it replaced, and what follows', async () => {
    const compactMetadata = { preservedMessages: { anchorUuid: 'y', uuids: [] } };
    const log = [user('u', null, 'go'), boundary({ compactMetadata }), user('v', 'y', 'on', { timestamp: at(59) })];
    const ran = await run(['log', '--role', 'user', '-'], { stdin: bytesOf(log) });
    expect(ran.stdout).toBe('u user       go\nv (@) user       on\n');
    expect(ran.stderr).toBe('sessionctl: -:2: a compaction has no summary, so what it replaced is still shown\n');
  });

  it('that kept a message between others it did not keep is a loss', async () => {
    const turns = ['u', 'v', 'w', 'z'].map((id, n) =>
      user(id, n === 0 ? null : (['u', 'v', 'w'][n - 1] as string), id),
    );
    const kept = (uuids: unknown[]) =>
      boundary({ logicalParentUuid: 'z', compactMetadata: { preservedMessages: { uuids } } });
    const after = [summary('so far'), user('end', 'y', 'on')];
    expect((await compactionOf([...turns, kept(['v', 'z']), ...after])).codes).toContain('COMPACTION_KEPT_OTHERS');
    const ran = await run(['log', '-'], { stdin: bytesOf([...turns, kept(['v', 'z']), ...after]) });
    expect(ran.stderr).toMatch(/:5: a compaction kept other messages than those that are shown/);
    const whole = await compactionOf([...turns, kept(['w', 'z', 5]), ...after]);
    expect(whole.codes).not.toContain('COMPACTION_KEPT_OTHERS');
    expect(whole.compaction).toMatchObject({ firstKeptEntryId: 'w' });
  });

  it('is not lost with a record between its boundary and its summary', async () => {
    const date = { type: 'attachment', attachment: { type: 'date' }, timestamp: at(59) };
    const log = [
      user('u', null, 'go'),
      boundary(),
      record('d', 'gone', date),
      summary('so far', 'd'),
      user('v', 'y', 'on'),
    ];
    const ran = await run(['context', '-'], { stdin: bytesOf(log) });
    const roles = ran.stdout.split('\n').flatMap((line): string[] => (line ? JSON.parse(line).role : []));
    expect(roles).toEqual(['compactionSummary', 'user']);
    expect((await compactionOf(log)).codes).toContain('MISSING_PARENT');
  });

  it.each<[string, Json, string]>([
    ['the head of its segment', { preservedSegment: { headUuid: 'v' } }, 'v'],
    ['nothing where its segment has none', { preservedSegment: {} }, 'x'],
    ['nothing where neither is named', {}, 'x'],
  ])('keeps %s', async (_name, compactMetadata, first) => {
    const turns = [user('u', null, 'a'), user('v', 'u', 'b')];
    const { compaction } = await compactionOf([
      ...turns,
      boundary({ logicalParentUuid: 'v', compactMetadata }),
      summary('so far'),
    ]);
    expect(compaction).toMatchObject({ firstKeptEntryId: first });
  });
});

describe('a subagent of Claude Code', () => {
  const side = { isSidechain: true, agentId: 'ag' };

  it('between the others is known by its id, and other records are left to the session', async () => {
    const log = [
      user('u', null, 'go'),
      record('s0', null, { type: 'attachment', attachment: { type: 'file' }, ...side }),
      user('s1', 's0', [text('count')], side),
      { type: 'mode', mode: 'normal', sessionId: 's' },
    ];
    const { report } = await convert(log);
    expect(report.sessions).toMatchObject([{ id: 's/ag' }]);
    expect(report.sessions[0]).not.toHaveProperty('toolCallId');
    const child = await convert(log, { session: 'ag' });
    expect(child.messages.map(({ content }) => content)).toEqual([[text('count')]]);
    expect(child.report.counts.dropped).toBe(2);
  });

  it('with a file of its own is asked for by the ids that the session has for it', async () => {
    const own = [user('s1', null, 'count', side), says('s2', 's1', [text('3')], {}, side)];
    const main = await convert(own);
    expect(main.header).toMatchObject({ parentSession: expect.any(String) });
    for (const session of ['s/ag', String(main.header?.['id'])])
      expect((await convert(own, { session })).messages).toEqual(main.messages);
  });

  const scratch = scratchFolder();
  /** A session with a subagent beside it, and what is said about that. */
  function folderWith(about: string | undefined): { readonly path: string; readonly log: Json[] } {
    const folder = mkdtempSync(join(scratch, 'log-'));
    const log = [user('u', null, 'go'), says('a', 'u', [call('c')]), user('r', 'a', [result('c', 'done')])];
    mkdirSync(join(folder, 's', 'subagents'), { recursive: true });
    writeFileSync(join(folder, 's.jsonl'), bytesOf(log));
    writeFileSync(join(folder, 's', 'subagents', 'agent-ag.jsonl'), bytesOf([user('s1', null, 'count', side)]));
    if (about !== undefined) writeFileSync(join(folder, 's', 'subagents', 'agent-ag.meta.json'), about);
    return { path: join(folder, 's.jsonl'), log };
  }

  it.each<[string, string | undefined, Json]>([
    [
      'in full',
      '{"agentType":"explore","description":"Counts","toolUseId":"c","spawnDepth":1}',
      { toolCallId: 'c', role: 'explore', depth: 1 },
    ],
    ['in part', '{"agentType":5,"toolUseId":"c"}', { toolCallId: 'c' }],
    ['not at all', undefined, {}],
    ['in a file that is damaged', '{"agentType":', {}],
  ])('is described %s', async (_name, about, expected) => {
    const { path, log } = folderWith(about);
    const { entries } = await convertFrom(memorySource(bytesOf(log), { path, name: path }), log.length);
    const linked = entries.find(({ customType }) => customType === 'sessionctl/subagent');
    expect(linked?.['data']).toEqual({ childSession: expect.any(String), sourceId: 's/ag', ...expected });
  });

  it('whose file is gone when it is opened is refused', async () => {
    const { path, log } = folderWith(undefined);
    const source = memorySource(bytesOf(log), { path, name: path });
    const gone = { ...source, chunks: () => source.chunks(), open: async () => undefined };
    await expect(nativeTextOf(claudeCode, gone, { session: 'ag' })).rejects.toThrow('the log of this subagent is gone');
  });
});

describe('any records of Claude Code', () => {
  const odd = fc.constantFrom<unknown>(undefined, null, 5, '', 'x', true, [], {}, [null], [5, 'x']);
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const block = fc.record(
    {
      type: fc.constantFrom(
        'text',
        'thinking',
        'redacted_thinking',
        'tool_use',
        'tool_result',
        'image',
        'document',
        'x',
      ),
      text: fc.constantFrom('hi', '[Request interrupted by user]'),
      ...{ id, tool_use_id: id, name: fc.constant('Bash'), data: fc.constant('xyz'), content: fc.constant('done') },
    },
    { requiredKeys: ['type'] },
  );
  const content = fc.oneof(fc.constant('hello'), fc.array(block, { maxLength: 3 }));
  const member = fc.constantFrom(
    ...['type', 'uuid', 'parentUuid', 'message', 'timestamp', 'isSidechain', 'agentId', 'sessionId', 'cwd', 'version'],
    ...[
      'isMeta',
      'isCompactSummary',
      'compactMetadata',
      'attachment',
      'rendered',
      'leafUuid',
      'toolUseResult',
      'subtype',
    ],
  );
  const anyRecord = fc
    .record({
      type: fc.constantFrom(
        'user',
        'user',
        'assistant',
        'assistant',
        'system',
        'attachment',
        'progress',
        'summary',
        'last-prompt',
        'x',
      ),
      ...{ uuid: id, parentUuid: fc.option(id), isSidechain: fc.constantFrom(false, false, false, true) },
      message: fc.record(
        { id: fc.constantFrom('m', 'n'), role: fc.constant('user'), content },
        { requiredKeys: ['content'] },
      ),
      subtype: fc.constantFrom('compact_boundary', 'turn_duration'),
      timestamp: fc.constantFrom(at(1), at(2), at(59)),
      change: fc.option(fc.tuple(member, odd)),
    })
    .map(({ change, ...rest }) => ({ sessionId: 's', ...rest, ...(change ? { [change[0]]: change[1] } : {}) }));

  it('are all accounted for, and give a valid log in both dialects, whatever their members are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRecord, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('pi' as const, 'omp' as const),
        fc.constantFrom('meta' as const, 'raw' as const, 'none' as const),
        async (records, dialect, keep) => {
          await convert(records, { dialect, keep });
        },
      ),
      settings(300),
    );
  });
});
