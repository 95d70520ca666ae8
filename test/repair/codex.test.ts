import { expect, it } from 'vitest';
import { checks } from '../../src/formats/codex/checks.ts';
import { recordErrors, recordFindings, repairRecords } from '../support/repairing-records.ts';

const ID = '0198c0de-0000-7000-8000-000000000001';
const META = { id: ID, timestamp: time(0), cwd: '/p', originator: 'codex_exec', cli_version: '0.166.0' };

function time(at: number): string {
  return new Date(1.77e12 + at * 1000).toISOString();
}

function lines(payloads: readonly (readonly [string, object])[], isNumbered: boolean): string[] {
  return payloads.map(([type, payload], at) =>
    JSON.stringify({ timestamp: time(at), ...(isNumbered ? { ordinal: at } : {}), type, payload }),
  );
}

const message = (text: string): readonly [string, object] => [
  'response_item',
  { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
];

it('a result that is put into a log with ordinals takes none that another record has', async () => {
  const call = { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' };
  const records = lines(
    [['session_meta', { ...META, history_mode: 'paginated' }], message('hi'), ['response_item', call], message('bye')],
    true,
  );
  const { output } = await repairRecords(`${records.join('\n')}\n`, checks, { settleTools: true });
  const written = output.toString().trimEnd().split('\n');
  expect(written.filter((line) => records.includes(line))).toEqual(records);
  expect(JSON.parse(written[3] ?? '')).toMatchObject({ payload: { type: 'function_call_output', call_id: 'c1' } });
  expect(written.map((line) => (JSON.parse(line) as { ordinal?: number }).ordinal)).toEqual([0, 1, 2, undefined, 3]);
  expect((await recordFindings(output, checks)).map(({ rule }) => rule)).not.toContain('ordinal-order');
  expect(await recordErrors(output, checks)).toEqual([]);
  expect((await repairRecords(output, checks, { settleTools: true })).changes).toEqual([]);
});

it.each([
  ['it is the first member', META],
  ['others are before it', { session_id: '0198c0de-0000-7000-8000-000000000002', ...META }],
])('a new header has the id that the torn one still shows where %s', async (_where, meta) => {
  const [header = '', ...rest] = lines([['session_meta', meta], message('hi'), message('bye')], false);
  const { output } = await repairRecords(`${[header.slice(0, -30), ...rest].join('\n')}\n`, checks);
  expect(JSON.parse(output.toString().split('\n')[0] ?? '')).toMatchObject({
    type: 'session_meta',
    payload: { id: ID },
  });
  expect(await recordErrors(output, checks)).toEqual([]);
});

it('a new header has another id where the torn one shows only half of it', async () => {
  const [header = '', ...rest] = lines([['session_meta', META], message('hi'), message('bye')], false);
  const torn = header.slice(0, header.indexOf(ID) + 20);
  const { output } = await repairRecords(`${[torn, ...rest].join('\n')}\n`, checks);
  const { payload } = JSON.parse(output.toString().split('\n')[0] ?? '') as { payload: { id: string } };
  expect(payload.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(payload.id).not.toContain(ID.slice(0, 20));
});
