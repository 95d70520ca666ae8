import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { goose } from '../../../src/formats/goose/index.ts';
import { makeDatabase } from '../../support/database.ts';
import { memorySource, nativeTextOf } from '../../support/native-form.ts';
import { run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

type Json = Record<string, unknown>;
const scratch = scratchFolder();
const START = 1_788_000_000;
const user = (content: unknown, more: Json = {}): Json => ({ role: 'user', created: START, content, ...more });
const answer = (content: unknown, more: Json = {}): Json => ({ role: 'assistant', created: START, content, ...more });
const response = (id: string, toolResult: unknown): Json => ({ type: 'toolResponse', id, toolResult });
const request = (id: string, toolCall: unknown): Json => ({ type: 'toolRequest', id, toolCall });

async function native(conversation: readonly Json[], about: Json = { id: 'odd', working_dir: '/x' }) {
  const text = JSON.stringify({ ...about, conversation });
  const { lines, report } = await nativeTextOf(goose, memorySource(Buffer.from(text)));
  const entries = lines.map((line) => JSON.parse(line) as Json);
  const messages = entries.flatMap(({ message }) => (message ? [message as Json] : []));
  return { entries, messages, codes: report.losses.map(({ code }) => code) };
}

describe('an odd Goose session in its native form', () => {
  it('has what tools gave that is no text as words, and images as they are', async () => {
    const content = [
      { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'AA' } },
      { type: 'resource_link', uri: 'file:///b.txt' },
      { type: 'audio', data: 'AA' },
      { type: 'image', data: 'iVBORw0K' },
      { type: 'image' },
      { type: 'novel' },
      {},
    ];
    const { messages, codes } = await native([
      answer([request('c', { status: 'success', value: { name: 'read', arguments: ['a'] } })]),
      user([response('c', { status: 'success', value: { content, _meta: { a: 1 } } })]),
    ]);
    expect(messages[0]).toMatchObject({ content: [{ type: 'toolCall', arguments: { arguments: ['a'] } }] });
    expect(messages[1]).toMatchObject({
      details: { _meta: { a: 1 } },
      content: [
        { text: '[resource not embedded: file:///a.bin]' },
        { text: '[resource_link not embedded: file:///b.txt]' },
        { text: '[audio not embedded]' },
        { type: 'image', data: 'iVBORw0K', mimeType: 'image/png' },
        { text: '[image not embedded: unknown]' },
        { text: '[novel that cannot be shown]' },
        { text: '[block that cannot be shown]' },
      ],
    });
    expect(codes).toEqual(expect.arrayContaining(['BLOCK_AS_TEXT', 'IMAGE_REF']));
  });

  it('has calls without a value, a name or arguments, and thinking without a signature', async () => {
    const { messages, codes } = await native([
      answer([
        { type: 'thinking', thinking: 'Hm.' },
        request('a', undefined),
        request('', { status: 'success', value: { name: 'run' } }),
        request('c', { status: 'success', value: { name: 'run' } }),
      ]),
      user([response('c', 'nothing')]),
    ]);
    expect(messages[0]?.['content']).toEqual([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: '[invalid tool call: it has no value]' },
      { type: 'text', text: '[invalid tool call: it has no name or no id]' },
      { type: 'toolCall', id: 'c', name: 'run', arguments: {} },
    ]);
    expect(messages[1]).toMatchObject({ isError: true, content: [{ text: 'it has no value' }] });
    expect(codes).toContain('BAD_CALL');
  });

  it('keeps what Goose knows of a session without a time, and text of the agent that only the model sees', async () => {
    const { entries, codes } = await native(
      [answer([{ type: 'text', text: 'Note.' }], { metadata: { userVisible: false, agentVisible: true } })],
      { id: 'odd', working_dir: '/x', goose_mode: 'auto' },
    );
    expect(entries.find(({ customType }) => customType === 'goose/session')).toMatchObject({
      data: { raw: { goose_mode: 'auto' } },
    });
    expect(entries.find(({ type }) => type === 'custom_message')).toMatchObject({ customType: 'goose/context' });
    expect(codes).toContain('SYSTEM_AS_USER');
  });

  it('has a message once that Goose repeats directly behind a summary', async () => {
    const hidden = { metadata: { userVisible: false, agentVisible: false } };
    const forModel = { metadata: { userVisible: false, agentVisible: true } };
    const { entries } = await native([
      user([{ type: 'text', text: 'Go on.' }], hidden),
      user([{ type: 'text', text: 'So far.' }], forModel),
      user([{ type: 'text', text: 'Go on.' }]),
    ]);
    expect(entries.filter(({ type }) => type === 'compaction')).toHaveLength(1);
    expect(entries.filter((entry) => JSON.stringify(entry).includes('Go on.'))).toHaveLength(1);
  });
});

describe('a database of Goose', () => {
  const messages = 'id INTEGER PRIMARY KEY, session_id, role, content_json, created_timestamp, tokens';

  it('has the tokens of a message, and times with or without a zone', async () => {
    const path = makeDatabase(join(scratch, 'tokens.db'), {
      sessions: { columns: 'id, working_dir, created_at', rows: [['a', '/x', '2026-09-02T09:00:00+02:00']] },
      messages: { columns: messages, rows: [[1, 'a', 'system', '[]', START, 12]] },
    });
    const { stdout } = await run(['convert', path]);
    expect(stdout).toContain('"timestamp":"2026-09-02T07:00:00.000Z"');
    expect(stdout).toContain('"tokens":12');
  });

  it('without any session is reported in one line', async () => {
    const path = makeDatabase(join(scratch, 'empty.db'), {
      // A session is named by a text.
      sessions: { columns: 'id, working_dir', rows: [[1, '/x']] },
      messages: { columns: messages },
    });
    for (const command of ['log', 'validate'])
      expect(await run([command, path])).toMatchObject({ code: 2, stderr: expect.stringContaining('has no sessions') });
  });

  it('is checked as the session that is wanted, else as the newest', async () => {
    const path = makeDatabase(join(scratch, 'two.db'), {
      sessions: {
        columns: 'id, working_dir',
        rows: [
          ['a', '/x'],
          ['b', '/x'],
        ],
      },
      messages: {
        columns: messages,
        rows: [
          [1, 'a', 'user', '[{}]', START, 1],
          [2, 'b', 'user', '[]', START, 1],
        ],
      },
    });
    expect(await run(['validate', path])).toMatchObject({ code: 0, stdout: '' });
    expect((await run(['validate', '--session', 'a', path])).stdout).toContain(':1: error: unknown-block');
  });

  it('is where the environment says', () => {
    expect(goose.locations?.({ GOOSE_PATH_ROOT: '/g' })).toEqual(['/g/data/sessions']);
    expect(goose.locations?.({ XDG_DATA_HOME: '/data' })).toEqual(['/data/goose/sessions']);
    expect(goose.locations?.({ HOME: '/home/ann' })).toEqual([
      '/home/ann/.local/share/goose/sessions',
      '/home/ann/Library/Application Support/Block.goose/sessions',
    ]);
    expect(goose.locations?.({})).toEqual([]);
  });
});

describe('the check of a Goose session', () => {
  it('names each member that is missing or of the wrong kind, by its path', async () => {
    const lines = [
      { working_dir: '/x', message_count: 3 },
      {},
      user('text'),
      user(['text', { type: 'novel' }, {}, response('c', {}), response('c', undefined)], { role: 'system' }),
    ];
    const stdin = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
    const { stdout } = await run(['validate', '--format', 'json', '--rule', 'orphan-result=off', '-'], { stdin });
    const found = stdout.split('\n').flatMap((line) => {
      const { rule, path } = line === '' ? {} : (JSON.parse(line) as Json);
      return rule && path ? [`${rule} ${path}`] : [];
    });
    expect(found).toEqual([
      'missing-field role',
      'missing-field created',
      'missing-field content',
      'wrong-type content',
      'missing-field content[3].toolResult',
      'missing-field content[4].toolResult',
      'wrong-type role',
      'wrong-type content[0]',
      'unknown-block content[1]',
      'unknown-block content[2]',
      'duplicate-result content[4]',
    ]);
  });

  it('finds the records in a line that has two, and knows a header that only has a description', async () => {
    const header = JSON.stringify({ description: 'Two', message_count: 2 });
    const message = JSON.stringify(user([{ type: 'text', text: 'Hello' }]));
    const { stdout } = await run(['validate', '-'], { stdin: `${header}\n${message}${message}\n` });
    expect(stdout).toContain('-:2: error: glued-entries');
    const other = `${JSON.stringify({ message_count: 2 })}\n${message}\n`;
    expect((await run(['validate', '-'], { stdin: other })).code).toBe(2);
  });
});
