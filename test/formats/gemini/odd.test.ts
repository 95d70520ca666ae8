import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gemini } from '../../../src/formats/gemini/index.ts';
import { memorySource, nativeTextOf } from '../../support/native-form.ts';
import { run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

type Json = Record<string, unknown>;
const scratch = scratchFolder();
const timestamp = '2026-09-02T09:00:00.000Z';
const header = { sessionId: 'odd', projectHash: 'p', startTime: timestamp };
const user = (id: string, content: unknown): Json => ({ id, timestamp, type: 'user', content });
const model = (id: string, content: unknown, more: Json = {}): Json => ({
  ...{ id, timestamp, type: 'gemini', content, model: 'gemini-2.5-pro', ...more },
});
const response = (id: string, given: Json = {}): Json => ({ functionResponse: { id, name: 'read', ...given } });
const call = (id: string, more: Json = {}): Json => ({ id, name: 'read', args: {}, status: 'success', ...more });
const linesOf = (...records: readonly Json[]): string =>
  `${[header, ...records].map((record) => JSON.stringify(record)).join('\n')}\n`;

async function native(text: string) {
  const { lines, report } = await nativeTextOf(gemini, memorySource(Buffer.from(text)));
  const entries = lines.map((line) => JSON.parse(line) as Json);
  const messages = entries.flatMap(({ message }) => (message ? [message as Json] : []));
  const { losses, counts } = report;
  return { entries, messages, counts, codes: losses.map(({ code, severity }) => `${code} ${severity}`) };
}

describe('an odd Gemini CLI session in its native form', () => {
  it('has what is no text as words, in every place', async () => {
    const parts = [
      'words',
      1,
      { text: '' },
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0K' } },
      { inlineData: { mimeType: 'audio/wav', data: 'AA' } },
      { inlineData: {} },
      { fileData: { fileUri: 'gs://a' } },
      { fileData: {} },
      { executableCode: {} },
      {},
    ];
    const said = [{ text: '' }, { functionCall: { id: 'c', name: 'read' } }, { codeExecutionResult: {} }];
    const { messages, codes, entries } = await native(
      linesOf(
        user('u', parts),
        user('one', { text: 'alone' }),
        user('none', 1),
        model('m', said),
        user('r', [response('c')]),
      ),
    );
    expect(messages[0]?.['content']).toEqual([
      { type: 'text', text: 'words' },
      { type: 'image', data: 'iVBORw0K', mimeType: 'image/png' },
      { type: 'text', text: '[audio/wav not embedded]' },
      { type: 'text', text: '[data not embedded]' },
      { type: 'text', text: '[image not embedded: gs://a]' },
      { type: 'text', text: '[image not embedded: unknown]' },
      { type: 'text', text: '[executableCode]' },
      { type: 'text', text: '[empty]' },
    ]);
    expect(messages[1]?.['content']).toEqual([{ type: 'text', text: 'alone' }]);
    expect(messages[2]?.['content']).toEqual([
      { type: 'toolCall', id: 'c', name: 'read', arguments: {} },
      { type: 'text', text: '[codeExecutionResult]' },
    ]);
    expect(messages[3]).toMatchObject({ role: 'toolResult', content: [{ text: '{}' }] });
    expect(entries.some(({ customType }) => customType === 'gemini/extra')).toBe(true);
    expect(codes).toEqual(expect.arrayContaining(['IMAGE_REF lossy', 'DATA_DROPPED lossy']));
  });

  it('has results in all the shapes that records of calls have them in', async () => {
    const toolCalls = [
      call('a', { result: 'text' }),
      call('b', { result: [response('other', { response: { error: 'no' } })] }),
      call('c', { result: [{ text: 'part' }] }),
      call('d', { result: [] }),
      call('e', { result: { functionResponse: { id: 'e', response: { error: 'failed' } } }, status: undefined }),
      call('f', { result: [response('f', { response: { list: [1] } })] }),
    ];
    const { messages, codes } = await native(linesOf(model('m', '', { toolCalls, tokens: { input: 1 } })));
    const results = messages.filter(({ role }) => role === 'toolResult');
    expect(results.map(({ toolCallId, content, isError }) => [toolCallId, content, isError])).toEqual([
      ['a', [{ type: 'text', text: 'text' }], false],
      ['b', [{ type: 'text', text: 'no' }], false],
      ['c', [{ type: 'text', text: 'part' }], false],
      ['e', [{ type: 'text', text: 'failed' }], true],
      ['f', [{ type: 'text', text: '{"list":[1]}' }], false],
    ]);
    expect(codes).toContain('PENDING_CALL info');
  });

  it('says where results have no call, differ from the first one, or come with text of the user', async () => {
    const done = { response: { output: 'one' } };
    const { messages, codes, entries } = await native(
      linesOf(
        model('m', [{ functionCall: { id: 'a', name: 'read', args: {} } }], { toolCalls: [call('a'), call('b')] }),
        user('r1', [response('a', done)]),
        user('r2', [response('a', { response: { output: 'two' } })]),
        user('r3', [response('a', { response: { output: 'three' } }), { text: 'And now?' }]),
        user('r4', [{ text: 'Before.' }, response('b', done)]),
        user('r5', [{ functionResponse: {} }]),
      ),
    );
    expect(codes).toEqual(
      expect.arrayContaining(['CONTENT_DISAGREES ambiguous', 'DUP_RESULT lossy', 'ORPHAN_RESULT lossy']),
    );
    expect(entries.some(({ customType }) => customType === 'gemini/user')).toBe(true);
    const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => (content as Json[])[0]?.['text']);
    expect(texts).toEqual(['And now?', 'Before.']);
    expect(messages.at(-1)).toMatchObject({ toolCallId: 'unknown', toolName: 'unknown' });
  });

  it('shows an error where an answer has no text, and not where it has one', async () => {
    const error = { id: 'e', timestamp, type: 'error', content: 'quota' };
    const empty = await native(linesOf(user('u', 'Go'), model('m', ''), error));
    expect(empty.messages[1]).toMatchObject({ stopReason: 'error', errorMessage: 'quota' });
    const thought = [{ text: 'Hm.', thought: true }, { text: '' }];
    const only = await native(linesOf(user('u', 'Go'), model('m', thought), error));
    expect(only.messages[1]).toMatchObject({ stopReason: 'error' });
    const whole = await native(linesOf(user('u', 'Go'), model('m', 'Done.'), error));
    expect(whole.messages[1]).toMatchObject({ stopReason: 'stop' });
  });

  it('takes an answer as it is where very much follows it before the next message', async () => {
    const notes = Array.from({ length: 70 }, (_, n) => ({ id: `i${n}`, timestamp, type: 'info', content: 'x' }));
    const { messages, counts } = await native(linesOf(model('m', 'First.'), ...notes, model('m', 'Second.')));
    expect(messages.map(({ content }) => (content as Json[])[0]?.['text'])).toEqual(['Second.']);
    expect(counts.records).toBe(73);
  });

  it('has messages of a later header, of lists without ids and times, and a prompt that is blank', async () => {
    const again = { ...header, messages: [user('a', 'One'), 'none', { type: 'user' }] };
    const list = { $set: { messages: [{ id: 'a', type: 'user', content: 'Two' }] } };
    const { messages, entries } = await native(linesOf(user('z', ' '), again, list, user('b', 'Three')));
    expect(messages.map(({ content }) => (content as Json[])[0]?.['text'])).toEqual(['Two', 'Three']);
    expect(entries.some(({ customType }) => customType === 'gemini/user')).toBe(true);
  });

  it('counts calls of long ago no more, and all that are open to the end', async () => {
    const turns = Array.from({ length: 5000 }, (_, n) => [
      user(`u${n}`, 'Go'),
      model(`m${n}`, 'Yes.', { toolCalls: [call(`c${n}`, n % 1000 === 0 ? {} : { result: 'done' })] }),
    ]).flat();
    const { messages, codes, counts } = await native(linesOf(...turns));
    expect(messages).toHaveLength(15_000 - 5);
    expect(counts.mapped).toBe(10_001);
    expect(codes).toContain('PENDING_CALL info');
  });

  it('is one document where all of it is on one line, and lines where the first one is a header', async () => {
    const one = join(scratch, 'session-one.json');
    writeFileSync(one, JSON.stringify({ ...header, messages: [user('a', 'Hello')] }));
    expect((await run(['log', one])).stdout).toContain('Hello');
    writeFileSync(one, `${JSON.stringify(header)}\n`);
    expect(await run(['log', one])).toMatchObject({ code: 0, stdout: '' });
  });

  it('is where the environment says', () => {
    expect(gemini.locations?.({ GEMINI_CLI_HOME: '/g' })).toEqual(['/g/.gemini/tmp']);
    expect(gemini.locations?.({})).toEqual([]);
  });
});

describe('the check of an odd Gemini CLI session', () => {
  it('finds records in a line that has two, damage that hides a message, and passes over what is no message', async () => {
    const message = JSON.stringify(user('a', 'Hello'));
    const lines = [
      JSON.stringify(header),
      `${message}{"$set":{"summary":"x"}}{"$rewindTo":"a"}`,
      JSON.stringify({ $set: { messages: ['none', model('m', [{ functionCall: {} }], { toolCalls: ['none'] })] } }),
      message.replace('Hello', 'Hel\u0000lo'),
    ];
    const { code, stdout } = await run(['validate', '-'], { stdin: `${lines.join('\n')}\n\n` });
    expect(code).toBe(1);
    expect(stdout).toContain('-:2: error: glued-entries');
    expect(stdout).toContain('-:5: warning: blank-line');
  });
});
