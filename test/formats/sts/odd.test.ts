import { describe, expect, it } from 'vitest';
import { checks } from '../../../src/formats/sts/checks.ts';
import { sts } from '../../../src/formats/sts/index.ts';
import {
  codes,
  customsOf,
  type Json,
  jsonl,
  messageOf,
  messagesOf,
  nativeOf,
  writtenAs,
} from '../../support/numbered-log.ts';

const HEADER = { type: 'session', harness: 'h', id: 's1' };
const converted = (...records: Json[]) => nativeOf(sts, jsonl([HEADER, ...records]));

describe('a session trace that is odd', () => {
  it('has calls without a function around them, a name or JSON, and arguments that are an object', async () => {
    const toolCalls = [
      { id: 'c1', name: 'flat', arguments: '{"a":1}' },
      { id: 'c2', function: { name: 'read', arguments: { path: 'a' } } },
      { function: {} },
    ];
    const native = await converted(messageOf({ role: 'assistant', content: '', toolCalls }));
    expect(messagesOf(native)[0]?.['content']).toEqual([
      { type: 'toolCall', id: 'c1', name: 'flat', arguments: { a: 1 } },
      { type: 'toolCall', id: 'c2', name: 'read', arguments: { path: 'a' } },
      { type: 'toolCall', id: '', name: 'unknown', arguments: { input: '' } },
    ]);
    expect(codes(native)).toMatchObject({ ARGS_NOT_OBJECT: 1, PENDING_CALL: 3 });
  });

  it('has texts in lists, and records without a type', async () => {
    const content = ['one', { type: 'text', text: 'two' }, { type: 'image' }];
    const native = await converted(messageOf({ role: 'user', content }), { note: 'no type' });
    expect(messagesOf(native)[0]).toMatchObject({ content: 'one\ntwo\n' });
    expect(customsOf(native, 'sts/record')).toMatchObject([{ raw: { note: 'no type' } }]);
  });

  it('tells of lines that are damaged, before its header and behind it', async () => {
    const native = await nativeOf(sts, `{"type":"sess\n${jsonl([HEADER])}{"type":"mess\n`);
    expect(native.leftOut).toEqual([1, 3]);
    expect(native.report.counts).toMatchObject({ records: 3, merged: 1, dropped: 2 });
    expect((await nativeOf(sts, '{"type":"sess\n')).leftOut).toEqual([1]);
  });
});

describe('the check of a trace', () => {
  const issues = (record: Json) => checks.describe(record).issues.map(({ rule, path }) => `${rule} ${path}`);

  it('names calls that are none, member by member', () => {
    const said = { role: 'assistant', content: '' };
    expect(issues(messageOf({ ...said, toolCalls: {} }))).toEqual(['wrong-type message.toolCalls']);
    const path = 'message.toolCalls[0]';
    const lacking = [`missing-field ${path}.function.name`, `missing-field ${path}.function.arguments`];
    expect(issues(messageOf({ ...said, toolCalls: [5] }))).toEqual([`missing-field ${path}.id`, ...lacking]);
    expect(issues(messageOf({ ...said, toolCalls: [{ id: 'c1', function: 'read' }] }))).toEqual(lacking);
  });

  it('names a record without a type, and a message that is none', () => {
    expect(issues({ note: 1 })).toEqual(['missing-field type']);
    expect(issues({ type: 5 })).toEqual(['wrong-type type']);
    expect(checks.describe({ type: 'message', message: 'hi' }).issues).toEqual([
      { rule: 'wrong-type', path: 'message', message: 'message is no object' },
    ]);
    expect(issues({ type: 'message' })).toEqual(['missing-field message']);
  });
});

describe('convert --to sts', () => {
  it('counts what a trace has no place for, and has a word in the place of a picture', async () => {
    const { records, losses } = await writtenAs(
      'sts',
      { ...messageOf({ role: 'user', content: [{ type: 'image', data: 'aGk=' }] }), timestamp: 'never' },
      { type: 'context_edit' },
      { type: 'label', targetId: 'n0', label: 'x', id: undefined },
    );
    expect(records).toEqual([{ type: 'message', message: { role: 'user', content: '[image]' } }]);
    expect(losses).toBe('CONTEXT_EDITED 1, ENTRY_DROPPED 1, IMAGE_DROPPED 1');
  });
});
