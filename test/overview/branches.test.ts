import { describe, expect, it } from 'vitest';
import { type BranchRow, branchRecord, formatBranches } from '../../src/overview/branches.ts';
import { message } from '../support/memory-session.ts';
import { run } from '../support/run.ts';

const same = (text: string): string => text;
const style = { bold: same, dim: same, red: same, yellow: same, green: same, cyan: same, magenta: same, blue: same };
const branch: BranchRow = {
  id: 'a',
  leaf: 1,
  line: 2,
  isCurrent: true,
  label: undefined,
  lastUserText: 'hello',
  messages: 1,
  tokens: 0,
  timestamp: '2026-01-01T00:00:00.000Z',
};
const now = Date.UTC(2026, 0, 1, 0, 0, 30);
const marks = { leaf: 0, labels: new Map<number, string>(), shortId: (id: string) => id };
const line = (more: Partial<BranchRow>, isTerminal = true): string | undefined =>
  formatBranches([{ ...branch, ...more }], marks, { style, isTerminal, columns: 80 }, now)[0];

describe('the branches of a session', () => {
  it('tell their age to a person and their time to a program, whatever the timestamp is', () => {
    expect(line({})).toBe('* a leaf:1  1 message  0 tokens  30 seconds ago  hello');
    expect(line({}, false)).toContain('2026-01-01T00:00:00.000Z');
    expect(line({ timestamp: Date.UTC(2026, 0, 1) })).toContain('30 seconds ago');
    for (const timestamp of [undefined, null, {}, 'yesterday']) expect(line({ timestamp })).toContain('no date');
    expect(branchRecord(branch, now)).toMatchObject({ age: 30 });
    expect(branchRecord({ ...branch, timestamp: Date.UTC(2026, 0, 1) }, now)).toMatchObject({ age: 30 });
    expect(branchRecord({ ...branch, timestamp: {} }, now)['age']).toBeUndefined();
  });

  it('show a label before the last words of the user, and no star where the leaf is another', () => {
    expect(line({ label: 'here', isCurrent: false })).toBe(
      '  a leaf:1  1 message  0 tokens  30 seconds ago  (here) hello',
    );
    expect(line({ lastUserText: undefined })).toBe('* a leaf:1  1 message  0 tokens  30 seconds ago');
  });

  it('show what the user said last, be it the first entry of the log', async () => {
    const header = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' };
    const lines = [
      header,
      message('a', null, { role: 'user', content: 'the very first' }),
      message('b', 'a', { role: 'assistant', content: [] }),
    ];
    const ran = await run(['tree', '--leaves', '-'], {
      stdin: `${lines.map((value) => JSON.stringify(value)).join('\n')}\n`,
    });
    expect(ran.stdout).toContain('the very first');
  });

  it('fill the width of the terminal and no more', () => {
    const [row = ''] = formatBranches(
      [{ ...branch, lastUserText: 'x'.repeat(200) }],
      marks,
      { style, isTerminal: true, columns: 80 },
      now,
    );
    expect(row).toHaveLength(80);
    const narrow = formatBranches(
      [{ ...branch, lastUserText: 'x'.repeat(200) }],
      marks,
      { style, isTerminal: true, columns: 10 },
      now,
    )[0];
    expect(narrow?.match(/x+/)?.[0].length).toBeGreaterThanOrEqual(19);
  });

  it('leave out tokens, messages and the age where a terminal has no room for the words of the user', () => {
    const full = { ...branch, id: '62f2363f', messages: 11, tokens: 53_852, lastUserText: 'x'.repeat(200) };
    const shown = (columns: number, isTerminal = true): string =>
      formatBranches([full], marks, { style, isTerminal, columns }, now)[0] ?? '';
    for (const columns of [40, 50, 60, 70, 80]) {
      expect(shown(columns)).toHaveLength(columns);
      expect(shown(columns)).toMatch(/x{11}/);
    }
    const has = (columns: number): boolean[] => [/tokens/, /messages/, /ago/].map((word) => word.test(shown(columns)));
    expect([80, 70, 50, 40].map(has)).toEqual([
      [true, true, true],
      [false, true, true],
      [false, false, true],
      [false, false, false],
    ]);
    expect(shown(40, false)).toContain('tokens');
  });

  it('name a leaf that cannot be read by its line', async () => {
    const bad = '{"type":"message","id":"bad","parentId":"a","timestamp":"x","message":{"role":"user","content":[}}}';
    const header = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' };
    const log = [header, message('a', null), message('b', 'a')]
      .map((value) => JSON.stringify(value))
      .concat(bad)
      .join('\n');
    const ran = await run(['tree', '--leaves', '-'], { stdin: `${log}\n` });
    expect(ran.code).toBe(1);
    expect(ran.stdout.split('\n')[0]).toMatch(/^ {2}line:4 leaf:1 /);
  });
});
