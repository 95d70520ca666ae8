import { describe, expect, it } from 'vitest';
import { checks } from '../../src/formats/claude-code/checks.ts';
import { recordErrors, recordFindings, repairRecords } from '../support/repairing-records.ts';

type Json = Record<string, unknown>;

const user = (uuid: string, parentUuid: string | null, content: unknown = uuid): Json => ({
  ...{ parentUuid, isSidechain: false, uuid, type: 'user', message: { role: 'user', content } },
});
const answer = (uuid: string, parentUuid: string | null, block: Json, id = `msg-${uuid}`): Json => ({
  ...{ parentUuid, isSidechain: false, uuid, type: 'assistant', message: { id, role: 'assistant', content: [block] } },
});
const text = (uuid: string, parent: string, id?: string): Json =>
  answer(uuid, parent, { type: 'text', text: uuid }, id);
const call = (uuid: string, parent: string, callId: string, id?: string): Json =>
  answer(uuid, parent, { type: 'tool_use', id: callId, name: 'Bash', input: {} }, id);
const result = (uuid: string, parent: string, callId: string): Json =>
  user(uuid, parent, [{ type: 'tool_result', tool_use_id: callId, content: 'done' }]);
const boundary = (kept: Json = {}): Json => ({
  ...{ parentUuid: null, isSidechain: false, uuid: 'boundary', type: 'system', subtype: 'compact_boundary' },
  ...{ content: 'Conversation compacted', compactMetadata: { trigger: 'auto', ...kept } },
});
const summary = { ...user('summary', 'boundary'), isCompactSummary: true };
const uuids = (...kept: string[]): Json => ({ preservedMessages: { anchorUuid: 'summary', uuids: kept } });
const segment = (headUuid: string, tailUuid: string): Json => ({
  preservedSegment: { headUuid, anchorUuid: 'summary', tailUuid },
});

function log(records: readonly Json[]): string {
  return records
    .map((record, at) => `${JSON.stringify({ ...record, timestamp: new Date(1.77e12 + at * 1000).toISOString() })}\n`)
    .join('');
}

const asked = [user('a', null), call('b', 'a', 't1')];
const answered = [...asked, result('c', 'b', 't1'), text('d', 'c')];

const strays: readonly (readonly [what: string, records: readonly Json[], error: string])[] = [
  [
    'behind a compaction that hides its call',
    [...asked, boundary(), summary, result('c', 'summary', 't1'), text('d', 'c')],
    "5: orphan-result: its call 't1' on line 2 is hidden by the compaction on line 3",
  ],
  [
    'that a compaction keeps without its call',
    [...answered, boundary(uuids('c', 'd')), summary, text('e', 'summary')],
    "3: orphan-result: its call 't1' on line 2 is hidden by the compaction on line 5",
  ],
  [
    'that a kept segment begins with',
    [...answered, boundary(segment('c', 'd')), summary, text('e', 'summary')],
    "3: orphan-result: its call 't1' on line 2 is hidden by the compaction on line 5",
  ],
  [
    'on another branch than its call',
    [...asked, result('c', 'a', 't1'), text('d', 'c')],
    "3: orphan-result: its call 't1' on line 2 is not on the same path",
  ],
];

const inOrder: readonly (readonly [what: string, records: readonly Json[]])[] = [
  ['behind a compaction that keeps its call', [...asked, boundary(uuids('b')), summary, result('c', 'summary', 't1')]],
  [
    'whose call is inside a kept segment',
    [...asked, text('x', 'b', 'msg-b'), boundary(segment('a', 'x')), summary, result('c', 'summary', 't1')],
  ],
  ['that is kept with its call', [...answered, boundary(uuids('b', 'c', 'd')), summary]],
  [
    'of parallel calls, each below its own',
    [
      ...[...asked, call('b2', 'b', 't2', 'msg-b'), call('b3', 'b2', 't3', 'msg-b')],
      ...[result('c2', 'b2', 't2'), result('c', 'b', 't1'), result('c3', 'b3', 't3'), text('d', 'c3')],
    ],
  ],
  [
    'of parallel calls, one below the other',
    [...asked, call('b2', 'b', 't2', 'msg-b'), result('c', 'b2', 't1'), result('c2', 'c', 't2'), text('d', 'c2')],
  ],
  [
    'that comes while the answer goes on',
    [...asked, result('c', 'b', 't1'), call('b2', 'c', 't2', 'msg-b'), result('c2', 'b2', 't2'), text('d', 'c2')],
  ],
  [
    'below another record of the message that makes the call',
    [user('a', null), text('x', 'a', 'm'), call('b', 'x', 't1', 'm'), result('c', 'x', 't1'), text('d', 'c')],
  ],
];

/** Repair brings the call back in view, so the result has to stay. */
const damaged: readonly (readonly [what: string, records: readonly Json[], rule: string])[] = [
  ['behind a lost parent', [...asked, result('c', 'gone', 't1'), text('d', 'c')], 'dangling-parent'],
  ['behind a second root', [...asked, user('x', null), result('c', 'x', 't1'), text('d', 'c')], 'dangling-parent'],
  ['in a cycle', [...asked, result('c', 'd', 't1'), text('d', 'c')], 'parent-cycle'],
  ['behind a compaction without a summary', [...asked, boundary(), result('c', 'boundary', 't1')], 'half-compaction'],
  [
    'below one of two records with one id',
    [user('a', null), text('x', 'a'), call('x', 'x', 't1'), result('c', 'x', 't1'), text('d', 'c')],
    'duplicate-id',
  ],
];

describe('a tool result', () => {
  it.each(strays)('%s is found, and a repair leaves no error', async (_what, records, error) => {
    expect(await recordErrors(log(records), checks)).toEqual([error]);
    const { output, left, quarantine } = await repairRecords(log(records), checks);
    expect(left).toEqual([]);
    expect(quarantine).toHaveLength(1);
    expect(await recordErrors(output, checks)).toEqual([]);
  });

  it.each(inOrder)('%s is as it should be', async (_what, records) => {
    expect(await recordErrors(log(records), checks)).toEqual([]);
  });

  it.each(damaged)('%s is not found for itself, and stays', async (_what, records, rule) => {
    const errors = await recordErrors(log(records), checks);
    expect(errors.map((error) => error.split(': ')[1])).toEqual([rule]);
    const { output, left } = await repairRecords(log(records), checks);
    expect(left).toEqual([]);
    expect(output.toString()).toContain('"content":"done"');
  });

  it('is looked for in time that grows with the log, however far its call is', async () => {
    const half = 30_000;
    const calls = Array.from({ length: half }, (_, at) => call(`b${at}`, at === 0 ? 'a' : `b${at - 1}`, `t${at}`));
    const results = calls.map((_, at) => result(`c${at}`, at === 0 ? `b${half - 1}` : `c${at - 1}`, `t${at}`));
    expect(await recordErrors(log([user('a', null), ...calls, ...results]), checks)).toEqual([]);
    results[0] = result('c0', 'a', 't0');
    const errors = await recordErrors(log([user('a', null), ...calls, ...results]), checks);
    expect(errors.filter((error) => error.includes(': orphan-result: '))).toHaveLength(half);
    // Behind all but the last of them the conversation goes on.
    expect(errors.filter((error) => error.includes(': unanswered-call: '))).toHaveLength(half - 1);
    expect(errors).toHaveLength(2 * half - 1);
  });
});

const leaf = (leafUuid: string): Json => ({ type: 'last-prompt', lastPrompt: 'x', leafUuid, sessionId: 's' });
const goesOn = [user('u', 'b'), text('v', 'u')];

const open: readonly (readonly [what: string, records: readonly Json[], line: number])[] = [
  ['that has its result on another branch only', [...asked, user('x', 'a'), result('c', 'x', 't1'), ...goesOn], 2],
  [
    'whose result comes behind another answer, on a branch that was left',
    [...asked, text('x', 'b'), result('c', 'x', 't1'), ...goesOn],
    2,
  ],
  ['on the branch that the log names as its end', [...asked, ...goesOn, user('x', 'a'), text('y', 'x'), leaf('v')], 2],
  ['that has no result at all', [...asked, ...goesOn], 2],
];

const settled: readonly (readonly [what: string, records: readonly Json[]])[] = [
  ['on a branch that was left for another one', [...asked, ...goesOn, user('x', 'a'), text('y', 'x')]],
  [
    'on a branch that was left, by what the log names as its end',
    [...asked, user('x', 'a'), text('y', 'x'), leaf('y')],
  ],
  ['that a compaction hides', [...asked, ...goesOn, boundary(), summary, text('y', 'summary')]],
  ['whose result hangs from it, beside what goes on', [...asked, result('c', 'b', 't1'), ...goesOn]],
  [
    'whose result hangs from a record below it, beside what goes on',
    [...asked, { ...user('n', 'b'), type: 'attachment', message: undefined }, result('c', 'n', 't1'), ...goesOn],
  ],
  ['at the end of the branch that is resumed', [user('a', null), text('x', 'a'), user('y', 'a'), call('b', 'y', 't1')]],
];

describe('a tool call', () => {
  it.each(open)('%s is found on its line, and a repair leaves no error', async (_what, records, line) => {
    const errors = await recordErrors(log(records), checks);
    expect(errors).toContain(`${line}: unanswered-call: call 't1' has no result, and the conversation goes on`);
    const { output, left } = await repairRecords(log(records), checks);
    expect(left).toEqual([]);
    expect(await recordErrors(output, checks)).toEqual([]);
  });

  it.each(settled)('%s is no error, and stays as it is', async (_what, records) => {
    expect(await recordErrors(log(records), checks)).toEqual([]);
    expect((await repairRecords(log(records), checks)).changes).toEqual([]);
  });
});

describe('two results of one call', () => {
  const second = async (records: readonly Json[]): Promise<string[]> =>
    (await recordFindings(log(records), checks)).flatMap(({ rule, line }) =>
      rule === 'duplicate-result' ? [`${line}`] : [],
    );

  it('are found where the agent meets both', async () => {
    expect(await second([...answered, result('e', 'd', 't1')])).toEqual(['5']);
    expect(await second([...asked, result('c', 'b', 't1'), result('e', 'b', 't1'), text('d', 'c')])).toEqual(['4']);
  });

  it('are as they should be on two branches', async () => {
    const branches = [user('x', 'b'), result('c', 'x', 't1'), user('y', 'b'), result('e', 'y', 't1'), text('d', 'e')];
    expect(await second([...asked, ...branches])).toEqual([]);
  });
});
