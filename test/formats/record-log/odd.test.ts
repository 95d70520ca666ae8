import { describe, expect, it } from 'vitest';
import { checks } from '../../../src/formats/record-log/checks.ts';
import { recordLog } from '../../../src/formats/record-log/index.ts';
import {
  callOf,
  codes,
  customOf,
  customsOf,
  entriesOf,
  type Json,
  jsonl,
  messageOf,
  messagesOf,
  nativeOf,
  resultOf,
  writtenAs,
} from '../../support/numbered-log.ts';
import { run } from '../../support/run.ts';

const TIME = '2026-03-02T09:00:00.000Z';
const META = { type: 'session_meta', session_id: 's1', cwd: '/home/ada' };
const log = (...records: Json[]): string =>
  jsonl(records.map((one, at) => ({ schema_version: 1, seq: at, time: TIME, ...one })));
const converted = (...records: Json[]) => nativeOf(recordLog, log(META, ...records));

describe('a record that lacks what others have', () => {
  it('has the number that follows, and is kept where it has no type', async () => {
    const native = await converted(
      { type: 'user', text: 'one', seq: undefined },
      { type: 'user', text: 'two', seq: 2, time: undefined },
      { type: undefined },
      { type: 'constructor' },
    );
    expect(codes(native)).toMatchObject({ SEQ_GAP: 1 });
    expect(customsOf(native, 'record-log/record')).toHaveLength(1);
    expect(customsOf(native, 'record-log/constructor')).toHaveLength(1);
    const first = await nativeOf(recordLog, log({ ...META, seq: undefined, schema_version: ['x'] }));
    expect(entriesOf(first).find(({ customType }) => customType === 'foreign_session_import')).toMatchObject({
      data: { formatVersion: '["x"]' },
    });
  });

  it('starts a tool without a name, an id, an input or a time, and ends it without an output', async () => {
    const native = await converted(
      { type: 'tool_started', time: undefined },
      { type: 'tool_finished', call_id: 'line-2', status: 'ok' },
    );
    const [call, result] = messagesOf(native);
    expect(call?.['content']).toEqual([{ type: 'toolCall', id: 'line-2', name: 'unknown', arguments: {} }]);
    expect(customsOf(native, 'tool_execution_start')).toMatchObject([{ toolCallId: 'line-2', startedAt: null }]);
    expect(result).toMatchObject({ toolCallId: 'line-2', content: [], isError: false });
  });

  it.each([
    ['content_filter', 'error'],
    ['error', 'error'],
    ['MAX_TOKENS', 'length'],
    ['whatever', 'stop'],
  ])('ends an answer with the reason %s', async (reason, stopReason) => {
    const native = await converted({ type: 'assistant_finished', text: 'Yes.', finish_reason: reason });
    expect(messagesOf(native)[0]).toMatchObject({ stopReason });
  });
});

describe('the check of a record', () => {
  const issues = (record: Json) => checks.describe(record).issues.map(({ rule, path }) => `${rule} ${path}`);

  it('names what every record has to have', () => {
    expect(issues({ seq: 1.5, time: TIME })).toEqual([
      ...['missing-field type', 'wrong-type seq', 'missing-field schema_version'],
    ]);
    expect(issues({ schema_version: 1, seq: -1, time: TIME, type: 5 })).toEqual(['wrong-type type', 'wrong-type seq']);
    expect(issues({ schema_version: 1, seq: 'x', time: TIME, type: 'user', text: '' })).toEqual(['wrong-type seq']);
  });

  it('names a header without an id, and one whose id is none', () => {
    const found = [undefined, 5].map((id) => checks.describe({ ...META, schema_version: 1, seq: 0, session_id: id }));
    expect(found.flatMap(({ issues: all }) => all.map(({ message }) => message))).toEqual([
      "the header's session_id is missing",
      "the header's session_id is not a string",
    ]);
  });

  it('takes a type for unknown that objects have a member for', async () => {
    const stdin = log(META, { type: 'constructor' }, { type: '__proto__' });
    const { code, stdout } = await run(['validate', '--from', 'record-log'], { stdin });
    expect([code, stdout.match(/unknown-entry-type/g)]).toEqual([0, ['unknown-entry-type', 'unknown-entry-type']]);
  });
});

describe('convert --to record-log', () => {
  const written = (...entries: Json[]) => writtenAs('record-log', ...entries);
  const answer = (message: Json): Json => messageOf({ role: 'assistant', content: [], ...message });
  const text = (words: string): Json[] => [{ type: 'text', text: words }];

  it('writes how an answer was stopped, with the text that there was', async () => {
    const { records } = await written(
      answer({ stopReason: 'error', errorMessage: 'overloaded', content: text('So') }),
      answer({ stopReason: 'aborted' }),
    );
    expect(records).toMatchObject([
      { type: 'assistant_finished', text: 'So', finish_reason: 'error' },
      { type: 'failed', reason: 'error', message: 'overloaded' },
      { type: 'cancelled', reason: 'aborted', message: '' },
    ]);
    expect(records[0]).not.toHaveProperty('turn_id');
  });

  it('names a model where it is another one than before', async () => {
    const { records } = await written(
      answer({ model: 'm1', provider: 'p', stopReason: 'stop' }),
      answer({ model: 'm1', provider: 'p', stopReason: 'length' }),
      answer({ model: 'm2', provider: 'p', stopReason: 'stop' }),
    );
    expect(records.map(({ model, finish_reason: end }) => [model, end])).toEqual([
      ...[
        [undefined, 'stop'],
        [undefined, 'length'],
        ['m2', 'stop'],
      ],
    ]);
  });

  it('writes how a tool ended, and counts calls of which nothing shows that they were started', async () => {
    const { records, losses } = await written(
      answer({ content: ['t1', 't2', 't3', 't4'].map(callOf), stopReason: 'toolUse' }),
      resultOf('t1', { details: { __interrupted: true } }),
      resultOf('t2', { isError: true }),
      customOf('tool_execution_start', { toolCallId: 't3' }),
      customOf('tool_execution_start', { toolCallId: 'gone' }),
    );
    const ends = records.filter(({ type }) => type === 'tool_finished').map(({ status }) => status);
    expect(ends).toEqual(['cancelled', 'error']);
    expect(losses).toContain('START_UNPROVEN 1');
  });

  it('counts what has no record, and names no model where nobody answered', async () => {
    const { losses } = await written({ type: 'branch_summary', fromId: 'n0', summary: 'other', id: undefined });
    expect(losses).toBe('SUMMARY_DROPPED 1');
    const { stdout } = await run(['convert', '--to', 'record-log', '--from', 'pi'], {
      stdin: jsonl([{ type: 'session', version: 3, id: 's1', timestamp: TIME, cwd: '/home/ada' }]),
    });
    expect(JSON.parse(stdout)).toEqual({ schema_version: 1, seq: 0, time: TIME, ...META });
  });
});
