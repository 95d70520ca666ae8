import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../support/run.ts';

const folder = join(projectRoot, 'fixtures/formats/claude-code');

async function statusOf(name: string, lines?: number) {
  const log = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .split('\n')
    .slice(0, lines);
  const ran = await run(['status', '--json', '-'], { stdin: `${log.join('\n').trim()}\n` });
  return JSON.parse(ran.stdout);
}

describe('the status of a Claude Code log', () => {
  it.each([
    ['2.1.325/plain', 'ready', 'stable'],
    ['2.1.325/compact-auto', 'ready', 'stable'],
    ['2.1.325/killed-in-stream', 'ready', 'no-assistant-yet'],
    ['2.1.325/killed-in-tool', 'confirm', 'partially-answered'],
    ['2.1.325/denied', 'confirm', 'permission-denied'],
    ['2.1.100/denied', 'confirm', 'permission-denied'],
    ['2.1.100/plain', 'ready', 'stable'],
    ['2.1.100/killed-in-tool', 'confirm', 'partially-answered'],
  ])('of %s is %s: %s', async (name, verdict, state) => {
    expect(await statusOf(name)).toMatchObject({ verdict, state });
  });

  it('asks before it goes on from where the user interrupted it', async () => {
    const status = await statusOf('2.1.325/interrupted', 27);
    expect(status.verdict).toBe('confirm');
    expect(status.evidence).toContainEqual(
      expect.objectContaining({ line: 27, what: 'the user ended the turn: do not continue silently' }),
    );
  });

  it('asks before it goes on from a request that the API refused', async () => {
    expect(await statusOf('2.1.325/api-error', 26)).toMatchObject({ verdict: 'confirm', state: 'provider-error' });
  });
});
