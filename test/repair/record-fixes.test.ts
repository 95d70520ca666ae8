import { describe, expect, it } from 'vitest';
import { checks as claudeCode } from '../../src/formats/claude-code/checks.ts';
import { checks as codex } from '../../src/formats/codex/checks.ts';
import type { RecordChecks } from '../../src/formats/format.ts';
import { rebuildInput } from '../support/rebuild.ts';
import { type RecordRepairOptions, recordErrors, repairRecords } from '../support/repairing-records.ts';
import { run } from '../support/run.ts';

type Json = Record<string, unknown>;

const time = (at: number): string => new Date(1.77e12 + at * 1000).toISOString();
let second = 0;
const record = (uuid: string | undefined, parentUuid: string | null | undefined, more: object): Json => ({
  ...{ parentUuid, isSidechain: false, uuid, timestamp: time(second++), sessionId: 's', version: '2.1.325' },
  ...more,
});
const user = (uuid: string | undefined, parent: string | null | undefined, content: unknown, more: object = {}): Json =>
  record(uuid, parent, { type: 'user', message: { role: 'user', content }, ...more });
const says = (uuid: string | undefined, parent: string | null, content: unknown, id = `m-${uuid}`): Json =>
  record(uuid, parent, { type: 'assistant', message: { id, role: 'assistant', content } });
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: unknown) => ({ type: 'tool_use', id, name: 'Bash', input: {} });
const result = (id: unknown, content = 'done') => ({ type: 'tool_result', tool_use_id: id, content });

const bytesOf = (records: readonly Json[]): Buffer =>
  Buffer.from(records.map((one) => `${JSON.stringify(one)}\n`).join(''));

/** A line whose bytes are no UTF-8: it stays as it is where only other rules are wanted. */
function withBadBytes(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll('BAD', '\xff'), 'latin1');
}

/** What a repair makes of a log; that it loses nothing and is done after one run holds for all. */
async function repaired(input: Buffer, checks: RecordChecks = claudeCode, options: RecordRepairOptions = {}) {
  const { output, words, changes, quarantine, left } = await repairRecords(input, checks, options);
  for (const { rule } of changes) expect(rule).toMatch(/^[a-z]+(-[a-z0-9]+)*$/);
  expect(rebuildInput(output, changes, quarantine).equals(input)).toBe(true);
  expect((await repairRecords(output, checks, options)).changes).toEqual([]);
  const lines = output.toString('latin1').trimEnd().split('\n');
  const named = changes.flatMap(({ idBefore, idAfter }) => (idBefore ? [[idBefore, idAfter]] : []));
  return { records: lines.map((line): Json => JSON.parse(line)), words, left, quarantine, named };
}

/** The same where no error may be left. */
async function healed(input: readonly Json[], checks: RecordChecks = claudeCode) {
  const { records, words, left, quarantine } = await repaired(bytesOf(input), checks);
  expect(left).toEqual([]);
  expect(await recordErrors(bytesOf(records), checks)).toEqual([]);
  return { records, words, quarantine };
}

const ids = (records: readonly Json[]): unknown[] => records.map(({ uuid }) => uuid);
const parents = (records: readonly Json[]): unknown[] => records.map(({ parentUuid }) => parentUuid);
const contentOf = (record: Json | undefined): unknown => (record?.['message'] as Json | undefined)?.['content'];

describe('a record of Claude Code that lacks what agents need', () => {
  it.each<[string, Json, string]>([
    ['an attachment', { attachment: { type: 'file' } }, 'attachment'],
    ['a note of the system', { subtype: 'turn_duration' }, 'system'],
    ['a prompt', { message: { role: 'user', content: 'hi' } }, 'user'],
  ])('gets the type that the rest of it tells: %s', async (_name, more, type) => {
    const { records } = await healed([user('u', null, 'go'), record('x', 'u', more), user('v', 'x', 'on')]);
    expect(records[1]).toMatchObject({ uuid: 'x', type });
  });

  it.each<[string, Json]>([
    ['says nothing', {}],
    ['has a message of nobody', { message: { role: 'narrator', content: 'once' } }],
    ['has neither type nor parent', { parentUuid: undefined }],
  ])('leaves where nothing tells its type, and what hung from it stays in place: it %s', async (_name, more) => {
    const { records, quarantine } = await healed([user('u', null, 'go'), record('x', 'u', more), user('v', 'x', 'on')]);
    expect(ids(records)).toEqual(['u', 'v']);
    expect(parents(records)).toEqual([null, 'u']);
    expect(quarantine).toHaveLength(1);
  });

  it('loses the blocks that cannot be used, and the record with the last of them', async () => {
    const odd = [
      call(undefined),
      call(5),
      result(undefined),
      result(null),
      { type: 'mystery' },
      { text: 'typeless' },
      7,
    ];
    const { records, words } = await healed([
      ...[user('u', null, 'go'), says('a', 'u', [...odd, text('yes')]), says('b', 'a', odd), user('v', 'b', 'on')],
    ]);
    expect(records.map(contentOf)).toEqual(['go', [text('yes')], 'on']);
    expect(parents(records)).toEqual([null, 'u', 'a']);
    expect(words.filter((one) => one.includes('removed the block'))).toHaveLength(odd.length);
  });

  it('keeps blocks and images that it does not look into', async () => {
    const content = [
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
    ];
    expect(await recordErrors(bytesOf([user('u', null, 'go'), says('a', 'u', content)]), claudeCode)).toEqual([]);
  });

  it('hangs from the nearest record that stays, not from one that leaves in the same run', async () => {
    const log = [
      ...[user('u', null, 'go'), record('x', 'u', { type: 'user' }), record('y', 'x', { type: 'user' })],
      ...[user('v', undefined, 'on'), user('w', 'v', 'end')],
    ];
    const { records } = await healed(log);
    expect(ids(records)).toEqual(['u', 'v', 'w']);
    expect(parents(records)).toEqual([null, 'u', 'v']);
  });

  it('gets an id that nothing in the log names', async () => {
    const log = [user('u', null, 'go'), user(undefined, 'u', 'on')];
    const { records } = await healed(log);
    const taken = String(records[1]?.['uuid']);
    const again = await healed([...log, user('w', taken, 'end')]);
    expect(ids(again.records)).not.toContain(taken);
    expect(parents(again.records)[2]).toBe(again.records[1]?.['uuid']);
  });
});

describe('a record that names the leaf', () => {
  const leaf = (leafUuid: string): Json => ({ type: 'last-prompt', leafUuid, sessionId: 's' });

  it('names the parent of a leaf that leaves', async () => {
    const { records, words } = await healed([user('u', null, 'go'), record('x', 'u', { type: 'user' }), leaf('x')]);
    expect(records.at(-1)).toMatchObject({ leafUuid: 'u' });
    expect(words).toContain("3: missing-field: changed the leaf to 'u'");
  });

  it('stays where the leaf was a root, and where its own line may not change', async () => {
    const root = await repaired(bytesOf([record('x', null, { type: 'user' }), user('u', null, 'go'), leaf('x')]));
    expect(root.records.at(-1)).toMatchObject({ leafUuid: 'x' });
    const log = [user('u', null, 'go'), record('x', 'u', { type: 'user' }), { ...leaf('x'), lastPrompt: 'BAD' }];
    const frozen = await repaired(withBadBytes(bytesOf(log)), claudeCode, { only: ['missing-field'] });
    expect(frozen.records.at(-1)).toMatchObject({ leafUuid: 'x' });
  });
});

describe('a record on a damaged line that is to stay as it is', () => {
  it('keeps its id, its parent and the id of its message when others change', async () => {
    const twice = withBadBytes(bytesOf([user('u', null, 'BAD'), user('u', 'u', 'second'), user('v', 'u', 'on')]));
    expect((await repaired(twice, claudeCode, { only: ['duplicate-id'] })).words).toEqual([]);
    const below = withBadBytes(
      bytesOf([user('u', null, 'go'), record('x', 'u', { type: 'user' }), user('v', 'x', 'BAD')]),
    );
    expect(parents((await repaired(below, claudeCode, { only: ['missing-field'] })).records)).toEqual([null, 'x']);
    const log = [
      ...[
        user('u', null, 'go'),
        says('a', 'u', [text('one')], 'm'),
        user('v', 'a', 'on'),
        says('b', 'v', [text('two')], 'm'),
      ],
      ...[says('c', 'b', [text('BAD')], 'm')],
    ];
    const { records } = await repaired(withBadBytes(bytesOf(log)), claudeCode, { only: ['duplicate-message-id'] });
    expect(records.flatMap(({ message }) => (message as Json)['id'] ?? [])).toEqual(['m', 'm_2', 'm']);
  });

  it('gets no result behind it, and its calls keep their ids', async () => {
    const open = [
      user('u', null, 'go'),
      says('a', 'u', [call('c')], 'm'),
      says('b', 'a', [text('BAD')], 'm'),
      user('v', 'b', 'on'),
    ];
    expect((await repaired(withBadBytes(bytesOf(open)), claudeCode, { only: ['unanswered-call'] })).words).toEqual([]);
    const twice = [
      ...[user('u', null, 'go'), says('a', 'u', [call('c'), text('BAD')]), user('r', 'a', [result('c')])],
      ...[says('b', 'r', [call('c')]), user('s', 'b', [result('c')])],
    ];
    expect((await repaired(withBadBytes(bytesOf(twice)), claudeCode, { only: ['duplicate-call-id'] })).words).toEqual(
      [],
    );
  });
});

describe('records that share an id', () => {
  it('are told apart: a copy leaves, and each name goes with the nearest record before it', async () => {
    const copy = user('u', null, 'one');
    const log = [
      copy,
      user('v', 'u', 'two'),
      copy,
      user('u', 'v', 'three'),
      user('w', 'u', 'four'),
      user('x', 'u', 'five'),
    ];
    // An equal copy does no harm: it leaves where that is asked for.
    const { records, words } = await repaired(bytesOf(log), claudeCode, { only: ['duplicate-id'] });
    const id = records[2]?.['uuid'];
    expect(ids(records)).toEqual(['u', 'v', id, 'w', 'x']);
    expect(parents(records)).toEqual([null, 'u', 'v', id, id]);
    expect(words).toEqual([
      '3: duplicate-id: moved an exact copy to quarantine',
      `4: duplicate-id: changed the id to '${id}'`,
      `5: duplicate-id: reattached the record to '${id}'`,
      `6: duplicate-id: reattached the record to '${id}'`,
    ]);
  });

  it('are not made siblings, of which one would be out of view', async () => {
    const { records } = await healed([
      user('p', null, 'go'),
      user('u', 'p', 'one'),
      user('u', 'p', 'two'),
      user('w', 'u', 'on'),
    ]);
    const id = records[2]?.['uuid'];
    expect(parents(records)).toEqual([null, 'p', 'u', id]);
  });
});

describe('records that hang from each other', () => {
  it('are cut where one names a parent that comes later and hangs from it', async () => {
    const { records } = await healed([user('u', 'w', 'one'), user('v', 'gone', 'two'), user('w', 'v', 'three')]);
    expect(ids(records)).toEqual(['u', 'v', 'w']);
    expect(parents(records)).toEqual([null, 'u', 'v']);
  });
});

describe('what a repair of records says', () => {
  it.each<[string, readonly Json[], RecordRepairOptions, string[]]>([
    [
      'a type that the rest shows',
      [user('u', null, 'go'), record('x', 'u', { subtype: 'y' })],
      {},
      ["2: missing-field: set type to 'system', as the rest of the record shows"],
    ],
    [
      'a record that leaves',
      [user('u', null, 'go'), record('x', 'u', {})],
      {},
      ['2: missing-field: moved the record to quarantine'],
    ],
    [
      'a block that leaves',
      [user('u', null, 'go'), says('a', 'u', [text('a'), { type: 'x' }])],
      {},
      ['2: unknown-block: removed the block message.content[1]'],
    ],
    [
      'a parent',
      [user('u', null, 'go'), user('v', 'gone', 'on')],
      {},
      ["2: dangling-parent: reattached the record to 'u'"],
    ],
    [
      'a time',
      [user('u', null, 'go', { timestamp: time(1) }), user('v', 'u', 'on', { timestamp: 5 })],
      {},
      ['2: bad-timestamp: set the timestamp by that of the record before it (assumed)'],
    ],
    [
      'a time of the record behind it',
      [user('u', null, 'go', { timestamp: 5 }), user('v', 'u', 'on', { timestamp: time(1) })],
      { only: ['bad-timestamp'] },
      ['1: bad-timestamp: set the timestamp by that of the record after it (assumed)'],
    ],
    [
      'a time of 1970',
      [user('u', null, 'go', { timestamp: 5 })],
      {},
      ['1: bad-timestamp: set the timestamp to one of 1970 (assumed)'],
    ],
  ])('names %s', async (_name, log, options, words) => {
    expect((await repaired(bytesOf(log), claudeCode, options)).words).toEqual(words);
  });

  it('has the ids before and after', async () => {
    const log = [
      ...[user('u', null, 'go'), says('a', 'u', [call('c')], 'm'), user('r1', 'a', [result('c')])],
      ...[says('b', 'r1', [call('c')], 'm2'), user('r2', 'b', [result('c')]), says('d', 'r2', [text('end')], 'm')],
    ];
    const { named, words } = await repaired(bytesOf(log));
    expect(named).toEqual([
      ['c', 'cx2'],
      ['c', 'cx2'],
      ['m', 'm_2'],
    ]);
    expect(words).toEqual([
      "4: duplicate-call-id: changed the id of the call to 'cx2'",
      "5: duplicate-call-id: changed the id of the result to 'cx2'",
      "6: duplicate-message-id: changed the id of the message to 'm_2'",
    ]);
  });
});

describe('calls that share an id', () => {
  it('get none that another call has', async () => {
    const log = [user('u', null, 'go'), says('a', 'u', [call('c'), call('cx2'), call('c'), call('c')])];
    const { records } = await repaired(bytesOf(log), claudeCode, { only: ['duplicate-call-id'] });
    expect(contentOf(records[1])).toEqual([call('c'), call('cx2'), call('cx3'), call('cx4')]);
  });

  it('do not get the id of a result back where the record makes several calls', async () => {
    const log = [
      ...[user('u', null, 'go'), says('a', 'u', [call('c')]), user('r1', 'a', [result('c')])],
      ...[says('b', 'r1', [call('c'), call('d')]), user('r2', 'b', [result('lost'), result('d')])],
    ];
    const { records } = await repaired(bytesOf(log), claudeCode, { only: ['duplicate-call-id'] });
    expect(contentOf(records[3])).toEqual([call('cx2'), call('d')]);
  });

  it('get ids of their own where none of them has a result', async () => {
    const log = [user('u', null, 'go'), says('a', 'u', [call('c'), call('c')])];
    const { records } = await repaired(bytesOf(log), claudeCode, { only: ['duplicate-call-id'] });
    expect(contentOf(records[1])).toEqual([call('c'), call('cx2')]);
  });

  it('share out their results in order, and a further one stays with the last call before it', async () => {
    const log = [
      ...[
        user('u', null, 'go'),
        says('a', 'u', [call('c')]),
        user('r1', 'a', [result('c', 'one'), result('c', 'again')]),
      ],
      ...[says('b', 'r1', [call('c')]), user('r2', 'b', [result('c', 'two')])],
    ];
    const { records } = await repaired(bytesOf(log));
    expect(contentOf(records[2])).toEqual([result('c', 'one'), result('c', 'again')]);
    expect(contentOf(records[4])).toEqual([result('cx2', 'two')]);
  });

  it('get the id back that a result below has, also beside a result that names none', async () => {
    const log = [
      ...[user('u', null, 'go'), says('a', 'u', [call('c')]), user('r1', 'a', [result('c')])],
      ...[says('b', 'r1', [call('c')]), user('r2', 'b', [text('so'), result('lost')])],
    ];
    expect(contentOf((await healed(log)).records[3])).toEqual([call('lost')]);
  });
});

describe('messages that share an id', () => {
  it('get ids of their own, all records of one the same', async () => {
    const log = [
      ...[
        user('u', null, 'go'),
        says('a', 'u', [text('one')], 'm'),
        user('v', 'a', 'on'),
        says('b', 'v', [call('c')], 'm'),
      ],
      ...[user('r', 'b', [result('c')]), says('d', 'r', [text('three')], 'm'), user('w', 'd', 'end')],
    ];
    const { records } = await healed(log);
    expect(records.flatMap(({ message }) => (message as Json)['id'] ?? [])).toEqual(['m', 'm_2', 'm_2']);
  });
});

describe('a record without a time', () => {
  const timesOf = async (...times: readonly (string | undefined)[]): Promise<unknown[]> => {
    const log = times.map((timestamp, at) => user(`u${at}`, at === 0 ? null : `u${at - 1}`, 'go', { timestamp }));
    const { records } = await repaired(bytesOf(log), claudeCode, { only: ['bad-timestamp'] });
    return records.map(({ timestamp }) => timestamp);
  };

  it('gets one next to that of the nearest record that has one, and of 1970 where none has', async () => {
    const [near, first] = ['2026-01-01T00:00:00.001Z', '2025-12-31T23:59:59.999Z'];
    const known = '2026-01-01T00:00:00.000Z';
    expect(await timesOf(known, undefined)).toEqual([known, near]);
    expect(await timesOf('never', known)).toEqual([first, known]);
    expect(await timesOf('never', undefined)).toEqual(['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.001Z']);
  });
});

describe('a result that is put in', () => {
  it('comes before the next answer and the next prompt, though they have its id again', async () => {
    for (const next of [user('v', 'a', 'on'), says('v', 'a', [text('other')], 'n')]) {
      const log = [user('u', null, 'go'), says('a', 'u', [call('c')], 'm'), next, says('b', 'v', [text('so')], 'm')];
      const { records } = await repaired(bytesOf(log), claudeCode, { only: ['unanswered-call'] });
      expect(contentOf(records[2])).toMatchObject([{ tool_use_id: 'c' }]);
      expect(records[3]).toMatchObject({ uuid: 'v', parentUuid: records[2]?.['uuid'] });
    }
  });

  it('comes behind all records of its answer, past those of a subagent', async () => {
    const side = { isSidechain: true, agentId: 'ag' };
    const log = [
      ...[user('u', null, 'go'), says('a', 'u', [call('c')], 'm'), user('s', null, 'count', side)],
      ...[says('b', 'a', [text('so')], 'm'), user('v', 'b', 'on')],
    ];
    const { records } = await healed(log);
    expect(records.map(({ uuid }) => uuid)).toEqual(['u', 'a', 's', 'b', expect.any(String), 'v']);
    expect(records[5]?.['parentUuid']).toBe(records[4]?.['uuid']);
  });

  it('is a root where its call has no id, and that is not to be fixed', async () => {
    const log = [user('u', null, 'go'), says(undefined, 'u', [call('c')]), user('v', 'gone', 'on')];
    const { records } = await repaired(bytesOf(log), claudeCode, { only: ['unanswered-call'] });
    expect(records[2]).toMatchObject({ parentUuid: null, message: { content: [{ tool_use_id: 'c' }] } });
  });

  it('names the record that made the call, and no other of the same answer', async () => {
    const log = [
      user('u', null, 'go'),
      says('a', 'u', [call('c')], 'm'),
      says('b', 'a', [text('so'), call('d')], 'm'),
      user('v', 'b', 'on'),
    ];
    const { records } = await healed(log);
    const put = records.filter((one) => 'toolDenialKind' in one);
    expect(put.map(({ sourceToolAssistantUUID: source }) => source)).toEqual([undefined, 'b']);
  });
});

describe('a compaction of Claude Code', () => {
  const boundary = (compactMetadata: unknown): Json =>
    record('x', null, { type: 'system', subtype: 'compact_boundary', logicalParentUuid: 'v', compactMetadata });
  const summary = (): Json => user('y', 'x', 'so far', { isCompactSummary: true });
  const turns = (): Json[] => [user('u', null, 'go'), user('v', 'u', 'on')];

  it.each<[string, Json, Json]>([
    ['its head is lost', { headUuid: 'gone', tailUuid: 'v' }, { headUuid: 'v', tailUuid: 'v' }],
    ['its tail is lost', { headUuid: 'u', tailUuid: 'gone' }, { headUuid: 'u', tailUuid: 'u' }],
  ])('keeps what is left of its segment where %s', async (_name, preservedSegment, expected) => {
    const { records } = await healed([...turns(), boundary({ preservedSegment }), summary(), user('w', 'y', 'end')]);
    expect(records[2]).toMatchObject({ compactMetadata: { preservedSegment: expected } });
  });

  it('leaves where all is lost that it keeps', async () => {
    const lost = { preservedSegment: { headUuid: 'gone', tailUuid: 'gone' } };
    const { records } = await healed([...turns(), boundary(lost), summary(), user('w', 'y', 'end')]);
    expect(ids(records)).toEqual(['u', 'v', 'y', 'w']);
  });

  it('of Codex without what it replaced leaves where that is wanted', async () => {
    const meta = { id: 'i', timestamp: time(0), cwd: '/p', originator: 'o', cli_version: '0.166.0' };
    const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] };
    const log = [
      { timestamp: time(0), type: 'session_meta', payload: meta },
      { timestamp: time(1), type: 'response_item', payload: said },
      { timestamp: time(2), type: 'compacted', payload: { message: 'so far' } },
    ];
    const { records, words } = await repaired(bytesOf(log), codex, { only: ['half-compaction'] });
    expect(records.map(({ type }) => type)).toEqual(['session_meta', 'response_item']);
    expect(words).toEqual(['3: half-compaction: moved the unfinished compaction to quarantine']);
  });
});

describe('a record of Codex', () => {
  const meta = { id: 'i', timestamp: time(0), cwd: '/p', originator: 'o', cli_version: '0.166.0' };
  const header = (more: object = {}): Json => ({
    timestamp: time(0),
    type: 'session_meta',
    payload: { ...meta, ...more },
  });
  const item = (payload: object, more: object = {}): Json => ({
    timestamp: time(1),
    type: 'response_item',
    payload,
    ...more,
  });
  const said = (...content: readonly unknown[]) => ({ type: 'message', role: 'user', content });
  const words = (text: unknown) => ({ type: 'input_text', text });

  it('loses half characters and keeps whole ones, whatever else is escaped', async () => {
    const bytes = Buffer.from(
      bytesOf([header(), item(said(words('@')))])
        .toString()
        .replace('@', 'a\\\\ud800 \\n \\ud83d\\ude00 \\ud800 \\udc00'),
    );
    const { records } = await repaired(bytes, codex);
    expect(records[1]).toMatchObject({ payload: { content: [words('a\\ud800 \n 😀 \ufffd \ufffd')] } });
  });

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['of another kind', 5],
  ])('loses a text that is %s, and keeps the others', async (_name, text) => {
    const { records } = await healed([header(), item(said(words('a'), words(text)))], codex);
    expect(records[1]).toMatchObject({ payload: { content: [words('a')] } });
  });

  it('of a type that is not known stays, though others come behind it', async () => {
    const log = [header(), { timestamp: time(1), type: 'mystery', payload: {} }, item(said(words('a')))];
    expect((await repaired(bytesOf(log), codex, { only: ['unknown-entry-type'] })).words).toEqual([]);
  });

  it.each<[string, Json, string]>([
    ['a custom tool', { type: 'custom_tool_call', name: 'p', input: '' }, 'custom_tool_call_output'],
    ['a search for tools', { type: 'tool_search_call', execution: 'client', arguments: {} }, 'tool_search_output'],
    ['a function', { type: 'function_call', name: 'f', arguments: '{}' }, 'function_call_output'],
  ])('that calls %s is answered in kind', async (_name, payload, type) => {
    const log = [header(), item({ ...payload, call_id: 'c' }), item(said(words('on')))];
    const { records } = await repaired(bytesOf(log), codex, { settleTools: true });
    expect(records[2]).toMatchObject({ payload: { type, call_id: 'c' } });
  });

  it('in the middle of others is answered behind them, in kind, so that the answer stays one message', async () => {
    const call = (id: string, type = 'function_call'): Json =>
      item({ type, name: 'f', ...(type === 'function_call' ? { arguments: '{}' } : { input: '' }), call_id: id });
    const answer = (id: string): Json => item({ type: 'function_call_output', call_id: id, output: 'done' });
    const calls = [call('a'), call('b', 'custom_tool_call'), call('c'), call('d')];
    const log = [header(), ...calls, answer('a'), answer('d'), call('e'), item(said(words('on')))];
    const { records } = await repaired(bytesOf(log), codex, { settleTools: true });
    const payloads = records.map(({ payload }) => payload as Json);
    expect(payloads.slice(5, 9)).toMatchObject([
      { type: 'custom_tool_call_output', call_id: 'b' },
      { type: 'function_call_output', call_id: 'c' },
      { type: 'function_call_output', call_id: 'a', output: 'done' },
      { type: 'function_call_output', call_id: 'd', output: 'done' },
    ]);
    expect(payloads[10]).toMatchObject({ type: 'function_call_output', call_id: 'e' });
  });

  it('without an envelope is answered without one', async () => {
    const log = [
      { id: 'i', timestamp: time(0), instructions: null },
      { type: 'function_call', name: 'f', arguments: '{}', call_id: 'c' },
      { type: 'message', role: 'user', content: [words('on')] },
    ];
    const { records } = await repaired(bytesOf(log), codex, { settleTools: true });
    expect(records[2]).toMatchObject({ type: 'function_call_output', call_id: 'c' });
    expect(records[2]).not.toHaveProperty('timestamp');
  });

  it('gets a number that follows the one before it, and a time next to that', async () => {
    const paginated = { ...header({ history_mode: 'paginated' }), ordinal: 0 };
    const bad = item(said(words('b')), { timestamp: 'never' });
    const log = [paginated, item(said(words('a')), { ordinal: 1 }), bad];
    const { records } = await repaired(bytesOf(log), codex, { only: ['missing-ordinal', 'bad-timestamp'] });
    expect(records[2]).toMatchObject({ ordinal: 2, timestamp: new Date(Date.parse(time(1)) + 1).toISOString() });
  });

  it.each([
    ['keeps a blank line before a header that is paginated', 'paginated', 0, ['', 'header']],
    ['keeps a blank line behind a header that is paginated', 'paginated', 0, ['header', '']],
    ['removes a blank line before a header that is not', 'legacy', 1, ['', 'header']],
    ['removes a blank line behind a header that is not', 'legacy', 1, ['header', '']],
  ])('%s, and validate says which it does', async (_does, mode, fixed, lines) => {
    const first = JSON.stringify({ ...header({ history_mode: mode }), ordinal: 0 });
    const log = Buffer.from(lines.map((line) => `${line && first}\n`).join(''));
    const { stdout } = await run(['validate', '--format', 'json'], { stdin: log });
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      summary: { warnings: 1, errors: 0, fixable: fixed },
    });
    const { output, changes } = await repairRecords(log, codex, { only: ['blank-line'] });
    expect(changes).toHaveLength(fixed);
    expect(output.toString()).toBe(fixed ? `${first}\n` : log.toString());
  });
});
