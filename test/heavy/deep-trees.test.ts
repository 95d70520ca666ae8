import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const scratch = scratchFolder();
const DEPTH = 100_000;
const BRANCHES = 50_000;

/** One chain of 100,000 entries, and 50,000 branches from its middle. */
function deepTree(): string {
  const timestamp = '2026-01-01T00:00:00.000Z';
  const lines = [JSON.stringify({ type: 'session', version: 3, id: 'deep', timestamp, cwd: '/' })];
  const add = (id: string, parentId: string | null, message: object): void => {
    lines.push(JSON.stringify({ type: 'message', id, parentId, timestamp, message }));
  };
  for (let at = 0; at < DEPTH; at++) {
    const parentId = at === 0 ? null : `x${at - 1}`;
    const call = { type: 'toolCall', id: `c${at}`, name: 'bash', arguments: { command: 'ls' } };
    if (at % 3 === 0) add(`x${at}`, parentId, { role: 'user', content: `prompt ${at}` });
    else if (at % 3 === 1) add(`x${at}`, parentId, { role: 'assistant', content: [call], stopReason: 'toolUse' });
    else
      add(`x${at}`, parentId, {
        role: 'toolResult',
        toolCallId: `c${at - 1}`,
        toolName: 'bash',
        content: 'ok',
        isError: false,
      });
  }
  for (let at = 0; at < BRANCHES; at++) add(`y${at}`, `x${DEPTH / 2}`, { role: 'user', content: `branch ${at}` });
  const path = join(scratch, 'deep.jsonl');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

describe('a chain of 100,000 entries with 50,000 branches from one of them', () => {
  const file = deepTree();
  const leaf = `x${DEPTH - 1}`;

  it('is judged', async () => {
    const ran = await run(['status', file, '--leaf', leaf, '--json']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ verdict: 'ready', state: 'user-last', leafId: leaf });
    const open = await run(['status', file, '--leaf', `x${DEPTH - 3}`, '--json']);
    expect(JSON.parse(open.stdout)).toMatchObject({ verdict: 'confirm', lastStableEntryId: `x${DEPTH - 5}` });
  });

  it('is compared, branch with branch', async () => {
    const ran = await run(['diff', file, leaf, 'y7', '--json']);
    expect(ran.code, ran.stderr).toBe(1);
    const read = JSON.parse(ran.stdout) as { onlyA: { entries: number }; onlyB: { entries: number } };
    expect([read.onlyA.entries, read.onlyB.entries]).toEqual([DEPTH / 2 - 1, 1]);
  });

  it('is forked whole, under new ids too, and both say the same as the source', async () => {
    for (const option of [[], ['--new-ids']]) {
      const fork = join(scratch, 'fork.jsonl');
      expect((await run(['fork', file, leaf, '-o', fork, ...option])).code).toBe(0);
      expect(readFileSync(fork, 'utf8').split('\n')).toHaveLength(DEPTH + 2);
      const ran = await run(['diff', file, leaf, '--against', fork]);
      expect([ran.code, ran.stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'the same']);
    }
  });

  it('is compared as contexts', async () => {
    const ran = await run(['diff', file, leaf, `x${DEPTH - 2}`, '--context', '--json']);
    expect((JSON.parse(ran.stdout) as { changes: object[] }).changes).toMatchObject([
      { kind: 'removed', entryId: leaf },
    ]);
  });
});

describe('a chain of 400,000 entries of which only the reading shows that all are damaged', () => {
  it('is read in time that grows with it', async () => {
    const timestamp = '2026-01-01T00:00:00.000Z';
    const entries = Array.from({ length: 400_000 }, (_, at) => {
      const parentId = at === 0 ? 'null' : `"x${at - 1}"`;
      return `{"type":"message","id":"x${at}","parentId":${parentId},"timestamp":"${timestamp}","message":{"role":"user","content":[}}}`;
    });
    const path = join(scratch, 'late-damage.jsonl');
    writeFileSync(
      path,
      `${[JSON.stringify({ type: 'session', version: 3, id: 's', timestamp, cwd: '/' }), ...entries].join('\n')}\n`,
    );
    const ran = await run(['context', path]);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toContain(
      'line 2 is damaged (not-json) and was left out, and 399,999 other lines: 3 (not-json)',
    );
  });
});

describe('a log of another agent of which 200,000 lines are damaged', () => {
  it('is read, and what was left out is counted', async () => {
    const time = '2026-01-01T00:00:00.000Z';
    const lines = [
      JSON.stringify({ sessionId: 's', projectHash: 'h', startTime: time, lastUpdated: time, kind: 'main' }),
      JSON.stringify({ id: 'm1', timestamp: time, type: 'user', content: 'hi' }),
      ...Array.from({ length: 200_000 }, () => 'x'),
    ];
    const path = join(scratch, 'damaged-gemini.jsonl');
    writeFileSync(path, `${lines.join('\n')}\n`);
    const ran = await run(['log', path]);
    expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining('hi')]);
    expect(ran.stderr).toContain('line 3 is damaged (not-json) and was left out, and 199,999 other lines');
  });
});

describe('a Gemini log of which each of 80,000 messages is replaced at the end', () => {
  it('is read in time that grows with it', async () => {
    const timestamp = '2026-01-01T00:00:00.000Z';
    const header = { sessionId: 's', projectHash: 'h', startTime: timestamp, lastUpdated: timestamp, kind: 'main' };
    const version = (content: string) =>
      Array.from({ length: 80_000 }, (_, at) => ({
        ...{ id: `m${at}`, timestamp, type: at % 2 === 0 ? 'user' : 'gemini', content: `${content} ${at}` },
      }));
    const path = join(scratch, 'replaced.jsonl');
    const records = [header, ...version('old'), ...version('new')];
    writeFileSync(path, `${records.map((one) => JSON.stringify(one)).join('\n')}\n`);
    const ran = await run(['convert', path]);
    expect(ran.stderr).toContain('160,001 records: 80,001 mapped, 80,000 merged');
    expect(ran.stdout).not.toContain('old 7');
  }, 40_000);
});
