import { expect, it } from 'vitest';
import { run } from '../support/run.ts';

const timestamp = '2026-01-01T00:00:00.000Z';
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.25 };
/** As pi writes it: what was written for an hour is part of cacheWrite, reasoning is part of output. */
const used = (unit: number) => ({
  input: unit,
  output: 2 * unit,
  cacheRead: 3 * unit,
  cacheWrite: 4 * unit,
  cacheWrite1h: unit,
  reasoning: unit,
  cost,
});
const total = (unit: number) => ({ ...used(unit), totalTokens: 10 * unit });

const entries: readonly object[] = [
  { type: 'message', message: { role: 'user', content: 'Hi', usage: used(7) } },
  {
    type: 'message',
    message: {
      role: 'assistant',
      content: [{ type: 'toolCall', id: 't', name: 'task', arguments: {} }],
      stopReason: 'toolUse',
      usage: total(1),
    },
  },
  {
    type: 'message',
    message: { role: 'toolResult', toolCallId: 't', toolName: 'task', content: 'x'.repeat(5000), usage: used(10) },
  },
  { type: 'usage', kind: 'title', usage: used(100) },
  { type: 'model_usage', purpose: 'title', usage: total(1000) },
  { type: 'branch_summary', fromId: 'e0', summary: 'S', usage: used(10_000) },
  { type: 'compaction', summary: 'S', tokensBefore: 1, firstKeptEntryId: 'e0', usage: total(100_000) },
  { type: 'custom', customType: 'own', usage: used(7) },
];
const log = [
  { type: 'session', version: 3, id: 's', timestamp, cwd: '/' },
  ...entries.map((entry, at) => ({ id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}`, timestamp, ...entry })),
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

it('sums up the same usage in context, diff, tree and export', async () => {
  const stdin = log;
  const sum = { input: 111_111, output: 222_222, cacheRead: 333_333, cacheWrite: 444_444, totalTokens: 1_111_110 };
  const state = JSON.parse((await run(['context', '--state'], { stdin })).stdout) as { usage: object; cost: number };
  expect(state).toMatchObject({ usage: sum, cost: 1.5 });
  const diff = JSON.parse((await run(['diff', '--json', '-', 'root', '@'], { stdin })).stdout) as {
    totals: { b: { usage: object } };
  };
  expect(JSON.stringify(diff)).toContain(JSON.stringify({ ...sum, cost: 1.5 }));
  const leaf = JSON.parse((await run(['tree', '--leaves', '--json'], { stdin })).stdout) as { tokens: number };
  expect(leaf.tokens).toBe(sum.totalTokens);
  for (const tools of ['full', 'summary', 'none']) {
    const markdown = (await run(['export', '--tools', tools], { stdin })).stdout;
    expect(markdown).toContain(
      'tokens:\n  input: 111111\n  output: 222222\n  cache_read: 333333\n  cache_write: 444444\ncost_usd: 1.5\n',
    );
  }
  expect((await run(['export', '-f', 'html'], { stdin })).stdout).toContain('555,555 in, 333,333 cached, 222,222 out');
});
