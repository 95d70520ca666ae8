import { describe, expect, it } from 'vitest';
import type { DiffItem } from '../../src/diff/item.ts';
import { aloneLines, changedLines, type DiffStyle, totalsLines } from '../../src/diff/report.ts';
import type { SideTotals } from '../../src/diff/totals.ts';
import { NO_USAGE } from '../../src/entries/usage.ts';
import { PLAIN } from '../../src/util/io.ts';

const same = (text: string): string => text;
const named =
  (name: string) =>
  (text: string): string =>
    `<${name}>${text}</>`;
const plain: DiffStyle = { style: PLAIN, clean: same };
const painted: DiffStyle = {
  style: { ...PLAIN, red: named('red'), green: named('green'), yellow: named('yellow') },
  clean: (text) => `(${text})`,
};

const item = (text: string, maxLines = 6, title = 'user'): DiffItem => ({ title, text, maxLines });

describe('an entry that one side has alone', () => {
  it('has the sign of its side on every line, also on an empty one', () => {
    expect(aloneLines('a', 'x1', item('one\n\ntwo\n'), plain)).toEqual(['- user  x1', '-   one', '-', '-   two']);
    expect(aloneLines('b', 'x2', item('one'), plain)).toEqual(['+ user  x2', '+   one']);
  });

  it('is painted and cleaned: red what is only in A, green what is only in B', () => {
    expect(aloneLines('a', 'x', item('t'), painted)).toEqual(['<red>- (user)</>  (x)', '<red>-   (t)</>']);
    expect(aloneLines('b', 'x', item('t'), painted)).toEqual(['<green>+ (user)</>  (x)', '<green>+   (t)</>']);
  });

  it('is cut after its most lines, and says how much is left', () => {
    expect(aloneLines('a', 'x', item('1\n2\n3', 3), plain)).toEqual(['- user  x', '-   1', '-   2', '-   3']);
    expect(aloneLines('a', 'x', item('1\n2\n3\n4', 3), plain).at(-1)).toBe('-   ... 1 more line (7 characters)');
    expect(aloneLines('a', 'x', item('1\n2\n3\n4\n5', 3), plain).at(-1)).toBe('-   ... 2 more lines (9 characters)');
  });

  it('shows the start of a long line and how long it is, never half a character', () => {
    expect(aloneLines('a', 'x', item('y'.repeat(2000)), plain)[1]).toBe(`-   ${'y'.repeat(2000)}`);
    expect(aloneLines('a', 'x', item('y'.repeat(2001)), plain)[1]).toBe(
      `-   ${'y'.repeat(2000)}... (2,001 characters)`,
    );
    const pairs = `${'y'.repeat(1999)}\u{1f642}`;
    expect(aloneLines('a', 'x', item(pairs), plain)[1]).toBe(`-   ${'y'.repeat(1999)}... (2,001 characters)`);
  });
});

describe('an entry in two wordings', () => {
  it('shows the words that differ, as git does', () => {
    const lines = changedLines(
      { a: 'x', b: 'x' },
      item('please mend the old test'),
      item('please mend the new test'),
      plain,
    );
    expect(lines).toEqual(['~ user  x', '~   please mend the [-old-]{+new+} test']);
  });

  it('names both sides where titles or ids differ', () => {
    const [first] = changedLines(
      { a: 'x', b: 'y' },
      item('same text here'),
      item('same text there', 6, 'custom'),
      plain,
    );
    expect(first).toBe('~ user / custom  x / y');
  });

  it('keeps the lines of the text, and marks each line of a change', () => {
    const lines = changedLines(
      { a: 'x', b: 'x' },
      item('first line\n\nsecond line'),
      item('first line\n\nsecond line\nthird\n\nfourth'),
      plain,
    );
    expect(lines).toEqual([
      '~ user  x',
      '~   first line',
      '~',
      '~   second line',
      '~   {+third+}',
      '~',
      '~   {+fourth+}',
    ]);
  });

  it('shows both texts whole where little is the same', () => {
    const lines = changedLines({ a: 'x', b: 'y' }, item('entirely one thing'), item('quite something else'), plain);
    expect(lines).toEqual(['- user  x', '-   entirely one thing', '+ user  y', '+   quite something else']);
  });

  it('says so where the text is the same and other fields differ', () => {
    const lines = changedLines({ a: 'x', b: 'x' }, item('the same'), item('the same'), plain);
    expect(lines).toEqual(['~ user  x', '~   (same text; differs in fields that are not shown)']);
  });

  it('leaves out the middle of a long stretch that did not change, and the outer part at either end', () => {
    const long = 'word '.repeat(100).trimEnd();
    const [, line = ''] = changedLines(
      { a: 'x', b: 'x' },
      item(`${long} old ${long} old ${long}`),
      item(`${long} new ${long} new ${long}`),
      plain,
    );
    expect(line).toMatch(/^~ {4}\.\.\.440 identical characters\.\.\. (?:word ?)+ \[-old-\]/);
    expect(line.match(/identical characters/g)).toHaveLength(3);
    expect(line).toMatch(/\{\+new\+\} (?:word ?)+ \.\.\.381 identical characters\.\.\. (?:word ?)+/);
    expect(line).toMatch(/identical characters\.\.\. $/);
    expect(line.length).toBeLessThan(500);
  });

  it('paints what was removed and what was added', () => {
    const lines = changedLines({ a: 'x', b: 'x' }, item('mend the old test'), item('mend the new test'), painted);
    expect(lines[0]).toBe('<yellow>~ (user)</>  (x)');
    expect(lines[1]).toContain('<red>[-(old)-]</><green>{+(new)+}</>');
  });
});

describe('the totals of a side', () => {
  const totals = (more: Partial<SideTotals>): SideTotals => ({
    entries: 2,
    messages: 1,
    files: [],
    models: [],
    modes: [],
    usage: NO_USAGE,
    ...more,
  });

  it('say nothing but that there is nothing', () => {
    expect(totalsLines('a', totals({ entries: 0 }), plain)).toEqual(['only A: nothing']);
    expect(totalsLines('b', totals({ entries: 0 }), painted)).toEqual(['<green>only B: nothing</>']);
  });

  it('leave a cost of nothing out', () => {
    expect(totalsLines('a', totals({}), plain)).toEqual(['only A: 2 entries, 1 message, 0 tokens']);
    const usage = { ...NO_USAGE, totalTokens: 1200, cost: 0.25 };
    expect(totalsLines('b', totals({ entries: 1, messages: 2, usage }), plain)).toEqual([
      'only B: 1 entry, 2 messages, 1,200 tokens, $0.2500',
    ]);
  });

  it('tell of each file how many calls there were, and how many of them failed', () => {
    const files = [
      { path: 'a', calls: 1, failed: 0 },
      { path: 'b', calls: 2, failed: 2 },
      { path: 'c', calls: 3, failed: 1 },
    ];
    expect(totalsLines('a', totals({ files }), painted)[1]).toBe(
      '  files: (a) (1 call), (b) (2 calls, failed), (c) (3 calls, 1 failed)',
    );
  });

  it('name twenty files and count the others', () => {
    const files = Array.from({ length: 22 }, (_, at) => ({ path: `f${at}`, calls: 1, failed: 0 }));
    const [, line = ''] = totalsLines('a', totals({ files }), plain);
    expect(line).toContain('f19 (1 call), and 2 more');
    expect(line).not.toContain('f20');
    expect(totalsLines('a', totals({ files: files.slice(0, 20) }), plain)[1]).not.toContain('more');
  });

  it('list models and modes, cleaned', () => {
    expect(totalsLines('a', totals({ models: ['p/m', 'q'], modes: ['plan'] }), painted).slice(1)).toEqual([
      '  models: (p/m), (q)',
      '  modes: (plan)',
    ]);
  });
});
