import { expect, it } from 'vitest';
import { checks } from '../../src/formats/claude-code/checks.ts';
import { recordErrors, repairRecords } from '../support/repairing-records.ts';

const RECORDS = 8000;
const HALF = RECORDS / 2;
const id = (at: number): string => `c0ffee00-0000-4000-8000-${String(at).padStart(12, '0')}`;
const user = (content: unknown): object => ({ type: 'user', message: { role: 'user', content } });
const call = (callId: string, message: string): object => ({
  type: 'assistant',
  message: { id: message, role: 'assistant', content: [{ type: 'tool_use', id: callId, name: 'B', input: {} }] },
});
const result = (callId: string): object => user([{ type: 'tool_result', tool_use_id: callId, content: 'o' }]);

const CASES: readonly (readonly [string, (at: number) => object])[] = [
  ['one id for all records', () => ({ uuid: id(0) })],
  ['records that are their own parents', (at) => ({ parentUuid: id(at) })],
  ['parents that are all lost', () => ({ parentUuid: 'gone' })],
  ['one id for all calls', (at) => (at % 2 === 1 ? result('t') : call('t', `m${at}`))],
  ['one id for many calls before all their results', (at) => (at < HALF ? call('t', `m${at}`) : result('t'))],
  ['a message of calls without results', (at) => (at < RECORDS - 1 ? call(`t${at}`, 'm') : user('go on'))],
  [
    'results far below their calls, behind a compaction',
    (at) => {
      if (at < HALF) return call(`t${at}`, `m${at}`);
      if (at === HALF) return { type: 'system', subtype: 'compact_boundary', parentUuid: null, compactMetadata: {} };
      return at === HALF + 1 ? { isCompactSummary: true } : result(`t${at - HALF - 2}`);
    },
  ],
  [
    'results far below their calls, on another branch',
    (at) =>
      at < HALF ? call(`t${at}`, `m${at}`) : { ...result(`t${at - HALF}`), ...(at === HALF && { parentUuid: id(0) }) },
  ],
  ['one id for all messages', (at) => (at % 2 === 1 ? user('go on') : call(`t${at}`, 'm'))],
];

it.each(CASES)('a repair takes time in proportion to the log, also of %s', async (_what, differs) => {
  const records = Array.from({ length: RECORDS }, (_, at) => ({
    parentUuid: at === 0 ? null : id(at - 1),
    isSidechain: false,
    uuid: id(at),
    timestamp: new Date(1.77e12 + at * 1000).toISOString(),
    ...user(`text ${at}`),
    ...differs(at),
  }));
  const input = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const { output, left, changes } = await repairRecords(input, checks);
  expect(changes.length).toBeGreaterThan(RECORDS / 4);
  expect(left).toEqual([]);
  expect(await recordErrors(output, checks)).toEqual([]);
});

it('a repair cuts the cycles that parents further down make of lost ones', async () => {
  const records = Array.from({ length: 500 }, (_, at) => ({
    parentUuid: at === 499 ? 'gone' : id(499),
    isSidechain: false,
    uuid: id(at),
    timestamp: new Date(1.77e12 + at * 1000).toISOString(),
    ...user(`text ${at}`),
  }));
  const first = await repairRecords(records.map((record) => `${JSON.stringify(record)}\n`).join(''), checks);
  expect(first.left).toEqual([]);
  expect((await repairRecords(first.output, checks)).changes).toEqual([]);
});

const callBlock = (callId: string): object => ({ type: 'tool_use', id: callId, name: 'B', input: {} });
const resultBlock = (callId: string): object => ({ type: 'tool_result', tool_use_id: callId, content: 'o' });
const many = (block: (at: number) => object): object[] => Array.from({ length: 10_000 }, (_, at) => block(at));
const answer = (content: object[]): object => ({ type: 'assistant', message: { id: 'm', role: 'assistant', content } });

const ONE_LINE: readonly (readonly [string, readonly object[]])[] = [
  ['calls without results', [user('hi'), answer(many((at) => callBlock(`t${at}`))), user('go on')]],
  ['calls with one id', [user('hi'), answer(many(() => callBlock('t'))), user(many(() => resultBlock('t')))]],
  ['empty texts', [user('hi'), user([...many(() => ({ type: 'text', text: '' })), { type: 'text', text: 'z' }])]],
  ['results without calls', [user('hi'), user([...many((at) => resultBlock(`t${at}`)), { type: 'text', text: 'z' }])]],
];

it.each(ONE_LINE)('a repair takes time in proportion to a record, also of many %s', async (_what, contents) => {
  const records = contents.map((content, at) => ({
    parentUuid: at === 0 ? null : id(at - 1),
    isSidechain: false,
    uuid: id(at),
    timestamp: new Date(1.77e12 + at * 1000).toISOString(),
    ...content,
  }));
  const input = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const { output, left, changes } = await repairRecords(input, checks);
  expect(changes.length).toBeGreaterThan(9_990);
  expect(left).toEqual([]);
  expect(await recordErrors(output, checks)).toEqual([]);
});

it('each block that leaves a record is a change with the rule that it breaks', async () => {
  const text = (words: string): object => ({ type: 'text', text: words });
  const content = [text(''), text('a'), resultBlock('gone'), text(''), text('b'), text(''), resultBlock('lost')];
  const record = { parentUuid: null, isSidechain: false, uuid: id(0), timestamp: '2026-01-01T00:00:00.000Z' };
  const { output, changes, words } = await repairRecords(
    `${JSON.stringify({ ...record, ...user(content) })}\n`,
    checks,
  );
  expect(changes.map(({ rule }) => rule)).toEqual([
    'empty-block',
    'orphan-result',
    'empty-block',
    'empty-block',
    'orphan-result',
  ]);
  expect(words).toContain('1: orphan-result: removed the block message.content[2]');
  expect(output.toString()).toBe(`${JSON.stringify({ ...record, ...user([text('a'), text('b')]) })}\n`);
});
