import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Status } from '../../src/status/types.ts';
import { projectRoot, run } from '../support/run.ts';

const folder = join(projectRoot, 'fixtures/formats/event-log/boundaries');

/** Verdict, state, and how far each open call got. */
const EXPECTED: Readonly<Record<string, readonly [verdict: string, state: string, started?: string]>> = {
  'user-last': ['ready', 'no-assistant-yet'],
  'model-requested': ['ready', 'no-assistant-yet'],
  'model-failed': ['ready', 'provider-error'],
  'intent-only': ['check', 'intent-only', 'no'],
  'intent-only-read': ['ready', 'intent-only', 'no'],
  'policy-asks': ['confirm', 'awaiting-approval', 'no'],
  'awaiting-approval': ['confirm', 'awaiting-approval', 'no'],
  'approved-not-started': ['confirm', 'approved-not-started', 'maybe'],
  'approved-by-user': ['confirm', 'approved-not-started', 'maybe'],
  'denied-by-policy': ['confirm', 'permission-denied', 'no'],
  'denied-by-user': ['confirm', 'permission-denied', 'no'],
  'denied-and-observed': ['confirm', 'permission-denied'],
  started: ['confirm', 'started', 'maybe'],
  'started-read': ['ready', 'started', 'maybe'],
  'finished-no-observation': ['check', 'finished-no-observation', 'yes'],
  observed: ['ready', 'stable'],
  'observed-cancelled': ['confirm', 'interrupted'],
  'observed-timeout': ['ready', 'stable'],
  'partially-answered': ['confirm', 'partially-answered', 'maybe'],
  'compaction-half': ['blocked', 'compaction-half'],
  'compaction-whole': ['ready', 'stable'],
  'compaction-left': ['ready', 'stable'],
  'budget-exhausted': ['confirm', 'budget-exhausted'],
  'budget-resumed': ['ready', 'stable'],
  paused: ['confirm', 'interrupted'],
  'paused-and-resumed': ['ready', 'stable'],
  'verification-open': ['check', 'verification-open'],
  'verification-failed': ['ready', 'stable'],
  completed: ['ready', 'stable'],
  failed: ['check', 'process-killed'],
};

async function statusOf(name: string): Promise<Status> {
  const { stdout, code } = await run(['status', '--json', join(folder, `${name}.jsonl`)]);
  const status = JSON.parse(stdout) as Status;
  expect(code).toBe(status.verdict === 'ready' ? 0 : 1);
  return status;
}

describe('the status of an event log', () => {
  it('is known for every fixture', () => {
    expect(readdirSync(folder).sort()).toEqual(
      Object.keys(EXPECTED)
        .map((name) => `${name}.jsonl`)
        .sort(),
    );
  });

  it.each(Object.entries(EXPECTED))('is right where the log ends: %s', async (name, [verdict, state, started]) => {
    const status = await statusOf(name);
    expect([status.verdict, status.state]).toEqual([verdict, state]);
    expect(status.pending.map((call) => call.started)).toEqual(started === undefined ? [] : [started]);
    expect(status.reasons.some((reason) => reason.verdict === verdict)).toBe(true);
  });

  it('says what the log records and pi does not', async () => {
    const item = async (name: string): Promise<string | undefined> =>
      (await statusOf(name)).checklist.find((one) => one.item === 'no open permission decision')?.value;
    expect(await item('awaiting-approval')).toBe('no');
    expect(await item('approved-not-started')).toBe('no');
    expect(await item('started')).toBe('yes');
    expect(await item('intent-only')).toBe('unknown');
    expect((await statusOf('denied-by-user')).denials).toMatchObject([{ toolCallId: 't1', line: 7, current: true }]);
    const { evidence } = await statusOf('verification-failed');
    expect(evidence).toContainEqual({ entryId: 'e5', line: 5, what: 'the last verification (npm test): failed' });
    const { pending } = await statusOf('finished-no-observation');
    expect(pending[0]?.reason).toBe('it ended, but what the model should see of it was not recorded');
  });

  it('is that of the converted session too', async () => {
    for (const name of Object.keys(EXPECTED)) {
      const converted = await run(['convert', join(folder, `${name}.jsonl`)]);
      const { stdout } = await run(['status', '--json', '-'], { stdin: converted.stdout });
      const status = JSON.parse(stdout) as Status;
      expect([name, status.verdict, status.state]).toEqual([name, ...(EXPECTED[name] ?? []).slice(0, 2)]);
    }
  });
});
