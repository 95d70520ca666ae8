import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../support/run.ts';

const path = join(projectRoot, 'fixtures/formats/seed-000/session.jsonl');
const log = readFileSync(path, 'utf8');

describe('a log of version 1 that has ids', () => {
  it.each(['pi', 'omp'])(
    'becomes one that %s reads, without a finding, and comes back byte for byte',
    async (dialect) => {
      const { stdout, code } = await run(['convert', '--to', dialect, path]);
      expect(code).toBe(0);
      expect(await run(['validate', '--strict'], { stdin: stdout })).toMatchObject({ code: 0, stdout: '' });
      expect(stdout).toContain('"arguments":{"command":"npm test","limit":12345678901234567890}');
      expect(stdout).toContain('"usage":{"input":500,"output":40,"cacheRead":0');
      expect(stdout).not.toContain('"input":{');
      expect(stdout).toContain(
        dialect === 'pi' ? '"provider":"unknown","modelId":"example"' : '"model":"unknown/example"',
      );
      expect(await run(['convert', '--to', 'seed-000'], { stdin: stdout })).toMatchObject({ code: 0, stdout: log });
    },
  );

  it('is written from any session, with what the design does not have as custom entries', async () => {
    const source = join(projectRoot, 'fixtures/sessions/pi-branches.jsonl');
    const { stdout, stderr } = await run(['convert', '--to', 'seed-000', source]);
    const [header, ...entries] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(header).toMatchObject({ type: 'session', version: 1 });
    expect(entries[0]).toMatchObject({ parentId: header.id });
    expect([...new Set(entries.map(({ type }) => type))].sort()).toEqual([...['custom', 'message', 'model_change']]);
    expect(stderr).toContain('ENTRY_AS_CUSTOM');
    expect(stderr).toContain('USAGE_REDUCED');
    expect((await run(['context', '-'], { stdin: stdout })).code).toBe(0);
  });

  it('is written from entries that have lost their ids, and from calls that cost nothing', async () => {
    const head = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}';
    const usage = { input: 1, output: 1, cacheRead: 2, cost: null };
    const message = { role: 'assistant', content: [], usage };
    const entries = [
      { type: 'message', id: 'a', parentId: null, message: { ...message, usage: { input: 1, output: 1 } } },
      { type: 'message', id: 'b', parentId: 'a', message: { ...message, usage: 'none' } },
      { type: 'message', id: 'c', parentId: 'b', message },
      { type: 'label', id: '', parentId: 'c', targetId: 'a' },
    ];
    const stdin = [head, ...entries.map((entry) => JSON.stringify(entry))].join('\n');
    const { stdout, stderr } = await run(['convert', '--to', 'seed-000'], { stdin: `${stdin}\n` });
    expect(stdout).toContain('"customType":"native/label"');
    expect(stderr).toContain('USAGE_REDUCED');
  });
});
