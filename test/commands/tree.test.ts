import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import width from '../../src/util/width.ts';
import { labelEntry, message } from '../support/memory-session.ts';
import { projectRoot, run, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder();
const branches = join(projectRoot, 'fixtures/sessions/pi-branches.jsonl');
const header = { type: 'session', version: 3, id: 'head', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' };
const jsonl = (...values: readonly (object | string)[]): string =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');

describe('tree', () => {
  it('draws branches, labels, compactions and the leaf, and folds straight runs', async () => {
    const log = jsonl(
      header,
      message('a', null),
      message('b', 'a'),
      message('c', 'b'),
      message('d', 'c'),
      message('side', 'c'),
      message('side2', 'side'),
      {
        type: 'compaction',
        id: 'k',
        parentId: 'd',
        timestamp: '2026-01-01T00:00:00.000Z',
        summary: 'so far',
        firstKeptEntryId: 'c',
      },
      labelEntry('l', 'k', 'b', 'start'),
      message('z', 'l'),
      message('lone', null),
      message('end', 'z'),
    );
    const { code, stdout } = await run(['tree'], { stdin: log });
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        '\u25cf a user       a',
        '\u25cf b (start) user       b',
        '\u25cf c user       c',
        '\u251c\u2500\u25cf side user       side',
        '\u2502 \u25cf side2 (leaf:3) user       side2',
        '\u25cf d user       d',
        '\u25c6 k compaction so far',
        '\u2502   2 entries: 1 label, 1 user',
        '\u25c9 end (@, leaf:1) user       end',
        '',
        '\u25cf lone (leaf:2) user       lone',
        '',
      ].join('\n'),
    );
  });

  it('shows every entry on a line of its own with --unfold', async () => {
    const folded = (await run(['tree', branches])).stdout.split('\n');
    const { code, stdout } = await run(['tree', '--unfold', branches]);
    expect(code).toBe(0);
    expect(folded.some((line) => / entries: /.test(line))).toBe(true);
    const lines = stdout.split('\n').filter((line) => line !== '');
    const nodes = (await run(['tree', '--json', branches])).stdout.trim().split('\n');
    expect(lines).toHaveLength(nodes.length);
    expect(stdout).not.toContain(' entries: ');
    // What has a line of its own either way is drawn in the same way, in the same order.
    const own = folded.filter((line) => line !== '' && !line.includes(' entries: '));
    expect(lines.filter((line) => own.includes(line))).toEqual(own);
    expect(await run(['tree', '--unfold', '--leaves', branches])).toMatchObject({ code: 2, stdout: '' });
  });

  it('takes another leaf for the trunk', async () => {
    const { stdout } = await run(['tree', '--leaf', 'leaf:2', branches]);
    expect(stdout).toContain('\u25c9 bfe0604a (@, leaf:2) assistant');
    expect(stdout).toContain('\u251c\u2500\u25cf 01de1cc1 branch_summary');
  });

  it('lists the leaves as git branch -v does', async () => {
    const { stdout } = await run(['tree', '--leaves', branches]);
    expect(stdout).toBe(
      [
        '* 62f2363f leaf:1  11 messages  53,852 tokens  2026-03-09T13:05:27.030Z  No, count days without Date at all.',
        '  bfe0604a leaf:2  10 messages  42,588 tokens  2026-03-09T13:03:17.886Z  Use the UTC getters.',
        '',
      ].join('\n'),
    );
    const now = (): number => Date.parse('2026-03-12T13:05:27.030Z');
    const onTerminal = await run(['tree', '--leaves', '--color', 'never', branches], {
      stdoutIsTerminal: true,
      columns: 70,
      now,
    });
    expect(onTerminal.stdout).toContain('3 days ago');
    for (const line of onTerminal.stdout.split('\n')) expect(width(line)).toBeLessThanOrEqual(80);
  });

  it('marks a branch by the nearest label of its own', async () => {
    const log = jsonl(
      header,
      message('a', null),
      message('b', 'a'),
      message('c', 'a'),
      labelEntry('l', 'c', 'c', 'try'),
      labelEntry('m', 'l', 'a', 'base'),
    );
    const { stdout } = await run(['tree', '--leaves', '--json'], {
      stdin: log,
      now: () => Date.parse('2026-01-01T00:01:00.000Z'),
    });
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    const timestamp = '2026-01-01T00:00:00.000Z';
    expect(records).toEqual([
      {
        id: 'm',
        leaf: 1,
        line: 6,
        isCurrent: true,
        label: 'try',
        lastUserText: 'c',
        messages: 2,
        tokens: 0,
        timestamp,
        age: 60,
      },
      { id: 'b', leaf: 2, line: 3, isCurrent: false, lastUserText: 'b', messages: 2, tokens: 0, timestamp, age: 60 },
    ]);
  });

  it('gives one record a node with --json, in file order', async () => {
    const { stdout } = await run(['tree', '--json', '--leaf', 'bfe0604a', branches]);
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.length).toBe(20);
    expect(records.map((record) => record['line'])).toEqual(records.map((_, at) => at + 2));
    expect(records.filter((record) => record['children'] === 2).map((record) => record['id'])).toEqual(['13ab93d9']);
    expect(records.find((record) => record['isLeaf'])).toMatchObject({
      id: 'bfe0604a',
      depth: 12,
      onPath: true,
      role: 'assistant',
    });
    expect(records.find((record) => record['id'] === '01de1cc1')).toMatchObject({ onPath: false, depth: 8 });
    expect(records.find((record) => record['id'] === '13ab93d9')?.['label']).toBe('cause found');
  });

  it('draws cycles and logs without entries', async () => {
    const cycle = await run(['tree'], {
      stdin: jsonl(header, message('a', 'b'), message('b', 'a'), message('c', 'b')),
    });
    expect(cycle.code).toBe(0);
    expect(cycle.stdout.split('\n').filter((line) => line !== '').length).toBe(3);
    const leaves = await run(['tree', '--leaves', '--json'], {
      stdin: jsonl(header, message('a', 'b'), message('b', 'a'), message('c', 'b')),
    });
    expect(JSON.parse(leaves.stdout)).toMatchObject({ id: 'c', messages: 3 });
    for (const option of [[], ['--leaves'], ['--json']]) {
      expect(await run(['tree', ...option], { stdin: jsonl(header) })).toMatchObject({
        code: 0,
        stdout: '',
        stderr: '',
      });
    }
  });

  it('fits the drawing to a narrow terminal and escapes what could move the cursor', async () => {
    const nested = Array.from({ length: 40 }, (_, at) =>
      message(`c${at}`, at === 0 ? null : `c${at - 1}`, { role: 'user', content: '\u001b[2J\u6f22'.repeat(30) }),
    );
    const sides = Array.from({ length: 39 }, (_, at) => message(`e${38 - at}`, `c${38 - at}`));
    const { stdout } = await run(['tree', '--color', 'never'], {
      stdin: jsonl(header, ...nested, ...sides),
      stdoutIsTerminal: true,
      columns: 60,
    });
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('(38)');
    for (const line of stdout.split('\n')) expect(width(line)).toBeLessThanOrEqual(60);
    const folded = await run(['tree', 'fixtures/sessions/pi-branches.jsonl'], {
      ...{ stdoutIsTerminal: true, columns: 40, env: { NO_COLOR: '1' } },
    });
    expect(folded.stdout.match(/ entries: /g)).toHaveLength(3);
    expect(folded.stdout).toContain('● 13ab93d9 (cause f…) assistant');
    for (const line of folded.stdout.split('\n')) expect(width(line)).toBeLessThanOrEqual(40);
  });

  it('takes 100,000 entries in one chain and 50,000 branches from one of them', async () => {
    const path = join(folder, 'deep.jsonl');
    const chain = Array.from(
      { length: 100_000 },
      (_, at) => `{"type":"custom","id":"c${at}","parentId":${at === 0 ? null : `"c${at - 1}"`},"timestamp":"t"}\n`,
    );
    const fan = Array.from(
      { length: 50_000 },
      (_, at) => `{"type":"custom","id":"f${at}","parentId":"c9","timestamp":"t"}\n`,
    );
    writeFileSync(path, `${jsonl(header)}${chain.join('')}${fan.join('')}`);
    const { code, stdout } = await run(['tree', path]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBe(3 + 3 + 50_000);
    expect(lines[1]).toBe('\u2502   8 entries: 8 custom');
    const { stdout: listed } = await run(['tree', '--leaves', path]);
    expect(listed.trimEnd().split('\n').length).toBe(50_001);
  });

  it('works as a program', async () => {
    const { code, stdout } = await spawnProgram(['tree', branches]);
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe('\u25cf 4897f003 model_change anthropic/claude-sonnet-4-5');
  });
});
