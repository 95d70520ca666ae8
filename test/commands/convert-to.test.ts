import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LogFormat } from '../../src/formats/format.ts';
import { foreignFormats } from '../../src/formats/index.ts';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { addToyFormat } from '../support/toy-format.ts';

addToyFormat();
const scratch = scratchFolder();

/** Writes one line for the session and one for each entry, with pictures of one byte for entries that have a label. */
const plain: LogFormat = {
  id: 'plain',
  title: 'a plain log',
  noun: 'plain log',
  extension: 'txt',
  detect: () => undefined,
  fromNative: async (session, sink) => {
    const { header, title, agent, endsWithNewline } = session;
    await sink.line({ id: header['id'], title, agent, endsWithNewline });
    for await (const { line, value } of session.entries()) {
      const image = value['type'] === 'label' ? sink.asset?.(Buffer.from('x'), 'png') : undefined;
      await sink.line({ line, id: value['id'], n: value['n'], image });
      if (value['type'] === 'label') sink.loss('LABEL_LOST', 'info', line, String(value['id']));
      sink.count(value['type'] === 'message' ? 'mapped' : 'dropped');
    }
    for await (const line of session.lines()) await sink.text(`${line.length}\n`);
    return 'text-only';
  },
};
foreignFormats.unshift(plain);

const time = '2026-01-02T03:04:05.678Z';
const header = JSON.stringify({ type: 'session', version: 3, id: 's1', timestamp: time, cwd: '/w' });
const entry = (id: string, parentId: string | null, more: object = {}): string =>
  JSON.stringify({ type: 'message', id, parentId, timestamp: time, message: { role: 'user', content: id }, ...more });
const BRANCHES = [header, entry('a', null), entry('b', 'a'), entry('c', 'a', { n: 1 })]
  .join('\n')
  .replace('"n":1', '"n":1.0');

const fileOf = (text: string): string => {
  const path = join(scratch, 'log.jsonl');
  writeFileSync(path, text);
  return path;
};
const convert = (...args: string[]) => run(['convert', '--to', 'plain', ...args]);

describe('convert --to a format that is not ours', () => {
  it('writes the path to the last entry, with the digits of its numbers, and counts the other branches', async () => {
    const ran = await convert(fileOf(BRANCHES));
    expect(ran.code).toBe(0);
    expect(ran.stdout.split('\n').slice(0, 3)).toEqual([
      '{"id":"s1","agent":{"name":"pi","version":"3"},"endsWithNewline":false}',
      '{"line":2,"id":"a"}',
      '{"line":4,"id":"c","n":1.0}',
    ]);
    expect(ran.stderr).toBe(
      'sessionctl: 3 records: 2 mapped, 0 merged, 0 kept as custom, 1 dropped; 1 loss (BRANCH_DROPPED 1)\n',
    );
    expect(await run(['convert', '--to', 'plain'], { stdin: BRANCHES })).toMatchObject({ stdout: ran.stdout, code: 0 });
  });

  it('gives the lines of the whole log as they are', async () => {
    const { stdout } = await convert(fileOf(BRANCHES));
    expect(stdout.split('\n').slice(3, -1).map(Number)).toEqual(BRANCHES.split('\n').map((line) => line.length));
  });

  it('writes a file for each leaf with --all-leaves, and says so in the report', async () => {
    const folder = join(scratch, 'leaves');
    const report = join(scratch, 'leaves.json');
    const ran = await convert('--all-leaves', '-o', `${folder}/`, '--report', report, fileOf(BRANCHES));
    expect(ran.code).toBe(0);
    const names = ['2026-01-02T03-04-05-678Z_s1_b.txt', '2026-01-02T03-04-05-678Z_s1_c.txt'];
    expect(readdirSync(folder).sort()).toEqual(names);
    const reports = readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const counts = { records: 2, mapped: 2, merged: 0, custom: 0, dropped: 0 };
    const source = { format: 'native', version: '3', bytes: BRANCHES.length };
    const expected = { counts, losses: [], source, roundtrip: 'text-only' };
    expect(reports).toMatchObject(names.map((name) => ({ ...expected, output: join(folder, name) })));
  });

  it('reads every log that readers read, with the losses of both conversions and other sessions in a folder', async () => {
    const log =
      '{"toy":1,"title":"T"}\n{"say":"one"}\n{"loss":"A_LOSS","severity":"info"}\n{"other":"kid","file":"kid.toy"}\n';
    const folder = join(scratch, 'toys');
    mkdirSync(folder);
    writeFileSync(join(folder, 'main.toy'), log);
    writeFileSync(join(folder, 'kid.toy'), '{"toy":1,"id":"kid"}\n{"say":"two"}\n{"torn\n');
    const out = join(scratch, 'out');
    const ran = await convert('-o', `${out}/`, join(folder, 'main.toy'));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('4 records: 1 mapped, 0 merged, 0 kept as custom, 3 dropped; 1 loss (A_LOSS 1)\n');
    expect(ran.stderr).toContain(
      'kid.toy: 2 records: 1 mapped, 0 merged, 0 kept as custom, 1 dropped; 1 loss (DAMAGED_LINE 1)\n',
    );
    expect(readdirSync(out)).toHaveLength(2);
    const one = readFileSync(
      join(out, readdirSync(out).find((name) => readFileSync(join(out, name), 'utf8').includes('"T"')) as string),
      'utf8',
    );
    expect(one).toContain('"agent":{"name":"toy","version":"0.1"}');
    expect((await run(['convert', '--to', 'plain', '--session', 'kid', join(folder, 'main.toy')])).stdout).toContain(
      '"line":2',
    );
  });

  it('says that damage made the session smaller, and exits 1', async () => {
    const torn = `${header}\n${entry('a', null)}\n{"type":"mess\n${entry('b', 'lost')}\n`;
    const ran = await convert(fileOf(torn));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      '3 records: 1 mapped, 0 merged, 0 kept as custom, 2 dropped; 3 losses (BRANCH_DROPPED 1, DAMAGED_LINE 1, PATH_CUT 1)',
    );
    const headless = await convert(fileOf(`${entry('a', null)}\n${entry('b', 'a')}\n`));
    expect(headless).toMatchObject({ code: 2, stdout: '' });
    expect(headless.stderr).toContain("has no header; run 'sessionctl repair' first");
  });

  it('keeps pictures in a folder beside a file, and only there', async () => {
    const label = JSON.stringify({ type: 'label', id: 'l', parentId: 'c', timestamp: time, targetId: 'a', label: 'x' });
    const path = fileOf(`${BRANCHES}\n${label}\n`);
    expect((await convert(path)).stdout).toContain('{"line":5,"id":"l"}\n');
    const folder = join(scratch, 'pictures');
    mkdirSync(folder);
    const { code, stderr } = await convert('-o', join(folder, 'out.txt'), path);
    expect([code, stderr]).toEqual([0, expect.stringContaining('LABEL_LOST 1')]);
    const [image] = readdirSync(join(folder, 'images'));
    expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toContain(`"image":"images/${image}"`);
  });

  it('takes versions 1 and 2, and empty sessions', async () => {
    const old = (await convert('fixtures/sessions/pi-version-1.jsonl')).stdout;
    expect(old).toContain('"agent":{"name":"pi","version":"1"}');
    expect((await convert(fileOf(`${header}\n`))).stderr).toContain('0 records: 0 mapped');
  });

  it('refuses what it cannot do', async () => {
    const path = fileOf(BRANCHES);
    expect(await convert('--all-leaves', path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('-o with a folder'),
    });
    expect(await run(['convert', '--all-leaves', '-o', `${scratch}/`, path])).toMatchObject({ code: 2 });
    expect(await convert('--embed', path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--embed is for'),
    });
    expect(await run(['convert', '--to', 'aider', path])).toMatchObject({ code: 2 });
  });
});
