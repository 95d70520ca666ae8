import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../src/lines/reader.ts';
import { activeRules, LogCheck } from '../../src/rules/check/check-log.ts';
import type { Level } from '../../src/rules/rule.ts';
import { run } from '../support/run.ts';
import { assistant, entry, HEADER, user } from '../support/sessions.ts';

async function reported(
  log: string,
  options: { levels?: ReadonlyMap<string, Level>; maxLineBytes?: number } = {},
): Promise<string[]> {
  const found: string[] = [];
  const { levels, maxLineBytes } = options;
  const check = new LogCheck({
    file: 'f',
    hashKey: new Uint8Array(8),
    rules: activeRules(levels),
    onFinding: (finding) => found.push(`${finding.line} ${finding.rule}: ${finding.message}`),
  });
  async function* source(): AsyncGenerator<Buffer> {
    yield Buffer.from(log);
  }
  for await (const line of readLines(source(), maxLineBytes === undefined ? {} : { maxLineBytes })) check.line(line);
  check.end();
  return found;
}

describe('what a finding says', () => {
  it('names the kind of value that is where an object should', async () => {
    const values = ['[{}]', '"x"', 'null', 'true', 'false', ' -1.5e3'];
    expect(await reported(HEADER + values.map((value) => `${value}\n`).join(''))).toEqual(
      ['an array', 'a string', 'null', 'a boolean', 'a boolean', 'a number'].map(
        (kind, at) => `${at + 2} not-an-object: the line is ${kind}, not an object`,
      ),
    );
  });

  it('counts the whole entries of a line and says where there is something else too', async () => {
    const [a, b] = [user('a', null).trimEnd(), assistant('b', 'a').trimEnd()];
    expect(await reported(`${HEADER}${a}${b}\n`)).toEqual(['2 glued-entries: 2 complete entries on one line']);
    expect(await reported(`${HEADER}${a}{"ty\n`)).toEqual([
      '2 glued-entries: 1 complete entry on one line, along with something else',
    ]);
    expect(await reported(`${HEADER}xx${a}yy\n`)).toEqual([
      '2 glued-entries: a complete entry among other bytes, along with something else',
    ]);
  });

  it('tells how much older than its parent an entry is in the largest unit of which there are two', async () => {
    const start = Date.parse('2026-01-01T00:00:00.000Z');
    const at = (id: string, parentId: string | null, seconds: number): string =>
      entry('custom', id, parentId, { customType: 'x', timestamp: new Date(start - seconds * 1000).toISOString() });
    const spans: [seconds: number, reported: string][] = [
      [61, '61 s'],
      [119, '119 s'],
      [120, '2 min'],
      [119 * 60, '119 min'],
      [120 * 60, '2 h'],
      [47 * 3600, '47 h'],
      [48 * 3600, '2 days'],
    ];
    for (const [seconds, span] of spans) {
      expect(await reported(HEADER + at('a', null, 0) + at('b', 'a', seconds))).toEqual([
        `3 time-backwards: ${span} older than its parent on line 2`,
      ]);
    }
    expect(await reported(HEADER + at('a', null, 0) + at('b', 'a', 60))).toEqual([]);
  });
});

describe('a root', () => {
  const levels = new Map<string, Level>([['extra-root', 'warning']]);

  it('is a further one behind another, whatever is between them', async () => {
    expect(await reported(HEADER + user('a', null) + assistant('b', 'a') + assistant('c', 'b'), { levels })).toEqual(
      [],
    );
    expect(await reported(HEADER + user('a', null) + assistant('b', null), { levels })).toEqual([
      '3 extra-root: another root',
    ]);
    expect(
      await reported(HEADER + user('a', null) + assistant('b', 'a') + user('c', null) + assistant('d', null), {
        levels,
      }),
    ).toEqual(['4 extra-root: another root', '5 extra-root: another root']);
  });
});

describe('a line that is too long to be read', () => {
  it('may hold the parent of what is behind it, and not of what is before it', async () => {
    const long = `${'x'.repeat(2000)}\n`;
    const lost = user('b', 'gone');
    const rules = async (log: string): Promise<string[]> =>
      (await reported(log, { maxLineBytes: 1000 })).map((one) => one.split(':')[0] as string);
    expect(await rules(long + HEADER + lost)).toEqual(['1 oversize-line']);
    expect(await rules(HEADER + long + lost)).toEqual(['2 oversize-line']);
    expect(await rules(HEADER + lost + long)).toEqual(['3 oversize-line', '2 dangling-parent']);
  });
});

describe('a log without a header', () => {
  it('comes from no other session, so a branch summary has to name an entry of it', async () => {
    const summary = entry('branch_summary', 'b', 'a', { fromId: 'gone', summary: 's' });
    const rules = async (log: string): Promise<string[]> =>
      (await reported(log)).map((one) => one.split(':')[0] as string);
    expect(await rules(user('a', null) + summary)).toEqual(['1 missing-header', '2 dangling-from']);
    expect(await rules(HEADER + user('a', null) + summary)).toEqual(['3 dangling-from']);
    expect(await rules(HEADER.replace('"cwd"', '"parentSession":"x","cwd"') + user('a', null) + summary)).toEqual([]);
  });
});

describe('a finding about the whole file', () => {
  it('is on line 1, at its first byte', async () => {
    for (const log of ['', '\n\n', user('a', null)]) {
      const { stdout } = await run(['validate', '--format', 'json', '-'], { stdin: log });
      expect(stdout.split('\n').map((line) => (line === '' ? undefined : JSON.parse(line)))).toContainEqual(
        expect.objectContaining({ file: '-', line: 1, offset: 0, rule: 'missing-header' }),
      );
    }
  });
});

describe('a bad ref', () => {
  it('is reported up to its hundredth character', async () => {
    const log = (ref: string): string =>
      HEADER +
      entry('message', 'a', null, {
        message: { role: 'user', content: [{ type: 'image', data: ref, mimeType: 'image/png' }], timestamp: 1 },
      });
    const said = async (ref: string): Promise<string> =>
      (await run(['validate', '--blobs', tmpdir(), '-'], { stdin: log(ref) })).stdout;
    const ref = (length: number): string => 'blob:sha256:'.padEnd(length, 'z');
    expect(await said(ref(100))).toContain(`'${ref(100)}'`);
    expect(await said(ref(101))).toContain(`'${ref(100)}...'`);
  });
});

describe('a string that is too long', () => {
  it('is none where it is image data, and only there', async () => {
    const long = 'x'.repeat(500_001);
    const data = `data:image/png;base64,${'A'.repeat(500_000)}`;
    const paths = async (block: object): Promise<string[]> =>
      (await reported(HEADER + entry('custom', 'a', null, { customType: 'x', data: block }))).map(
        (one) => one.split(':')[0] as string,
      );
    expect(await paths({ type: 'image', data: long })).toEqual([]);
    expect(await paths({ type: 'text', data: long })).toEqual(['2 oversize-string']);
    expect(await paths({ image_url: { url: data } })).toEqual([]);
    expect(await paths({ image_url: data })).toEqual([]);
    expect(await paths({ image_url: { url: long } })).toEqual(['2 oversize-string']);
    expect(await paths({ text: data })).toEqual(['2 oversize-string']);
  });
});

describe('a reference', () => {
  it('may mean the first entry of the log', async () => {
    const log =
      HEADER +
      user('a', null) +
      entry('branch_summary', 'b', 'a', { fromId: 'a', summary: 'S' }) +
      entry('label', 'c', 'b', { targetId: 'a', label: 'x' }) +
      entry('compaction', 'd', 'c', { summary: 'S', firstKeptEntryId: 'a', tokensBefore: 1 });
    expect(await reported(log)).toEqual([]);
  });
});

describe('a header as a parent', () => {
  it('is reported, also where the header is behind the entry', async () => {
    const rules = async (log: string): Promise<string[]> =>
      (await reported(log)).map((one) => one.split(':')[0] as string);
    expect(await rules(HEADER + user('a', 's'))).toEqual(['2 header-as-parent']);
    expect(await rules(user('a', 's') + HEADER)).toEqual(['2 late-header', '1 header-as-parent']);
  });
});

describe('a last entry that the model does not see', () => {
  const start = HEADER + user('a', null) + assistant('b', 'a');
  const note = (parentId: string): string => entry('label', 'n', parentId, { targetId: 'a', label: 'x' });
  const rules = async (log: string): Promise<string[]> =>
    (await reported(log)).map((one) => one.split(':')[0] as string);

  it('is a stale leaf where messages hang beside it, however many such entries lead to it', async () => {
    expect(await rules(start + note('a'))).toEqual(['4 stale-leaf']);
    expect(await rules(start + entry('custom', 'c', 'a', { customType: 'x' }) + note('c'))).toEqual(['5 stale-leaf']);
  });

  it('is none behind the messages, behind another one of its own branch, or where only notes hang beside it', async () => {
    expect(await rules(start + note('b'))).toEqual([]);
    expect(await rules(start + assistant('c', 'a') + note('c'))).toEqual([]);
    expect(await rules(start + entry('branch_summary', 'c', 'a', { fromId: 'b', summary: 'S' }) + note('c'))).toEqual(
      [],
    );
    expect(await rules(HEADER + user('a', null) + entry('custom', 'c', 'a', { customType: 'x' }) + note('a'))).toEqual(
      [],
    );
  });
});
