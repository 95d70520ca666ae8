import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';
import { addToyFormat } from '../support/toy-format.ts';

addToyFormat();
const scratch = scratchFolder();
const LOG = '{"toy":1,"title":"A title"}\n{"say":"first"}\n{"meta":{"a":1.0}}\n{"say":"second"}\n';

let folders = 0;
/** A folder with these files. */
function filesOf(files: Readonly<Record<string, string>>): string {
  const folder = join(scratch, String(folders++));
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const entriesOf = (jsonl: string) =>
  jsonl
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('convert', () => {
  it('writes one native session that validates, the same bytes in every run, and one line about its records', async () => {
    const ran = await run(['convert'], { stdin: LOG });
    expect(ran).toMatchObject({
      code: 0,
      stderr: 'sessionctl: 4 records: 2 mapped, 1 merged, 1 kept as custom, 0 dropped; no losses\n',
    });
    expect(entriesOf(ran.stdout).map(({ type }) => type)).toEqual([
      'session',
      'custom',
      'message',
      'custom',
      'message',
      'session_info',
    ]);
    expect(ran.stdout).toContain('"customType":"foreign_session_import"');
    expect(ran.stdout).toContain('{"a":1.0}');
    expect(await run(['validate'], { stdin: ran.stdout })).toMatchObject({ code: 0, stdout: '' });
    expect((await run(['convert', '-'], { stdin: LOG, random: (bytes) => new Uint8Array(bytes) })).stdout).toBe(
      ran.stdout,
    );
    // Other readers see the same session in the file and in its native form.
    const shown = await run(['context'], { stdin: LOG });
    expect(await run(['context'], { stdin: ran.stdout })).toEqual(shown);
  });

  it('writes what omp writes with --to omp', async () => {
    const [header, ...entries] = entriesOf((await run(['convert', '--to', 'omp'], { stdin: LOG })).stdout);
    expect(header).toMatchObject({ title: 'A title' });
    expect(entries.map(({ type }) => type)).toEqual(['custom', 'message', 'custom', 'message']);
  });

  it('keeps of other records what --keep says', async () => {
    const long = `${LOG}{"meta":"${'x'.repeat(5000)}"}\n`;
    const data = async (keep: string) => {
      const ran = await run(['convert', '--keep', keep], { stdin: long });
      const kept = entriesOf(ran.stdout).filter(({ customType }) => customType === 'toy/meta');
      return kept.map((entry) => Object.keys(entry.data).join());
    };
    expect(await data('meta')).toEqual(['line,raw', 'line']);
    expect(await data('raw')).toEqual(['line,raw', 'line,raw']);
    expect(await data('none')).toEqual([]);
  });

  it('exits 1 where the model would see something else, and not for other losses', async () => {
    const lossy = (severity: string) =>
      run(['convert'], { stdin: `${LOG}{"loss":"STOP_UNKNOWN","severity":"${severity}"}\n` });
    const ran = await lossy('lossy');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('; 1 loss (STOP_UNKNOWN 1)\n');
    expect((await lossy('ambiguous')).code).toBe(1);
    expect((await lossy('info')).code).toBe(0);
  });

  it('names damaged lines, leaves them out and exits 1', async () => {
    const folder = filesOf({ 'a.jsonl': `${LOG}{"say":"th` });
    const file = join(folder, 'a.jsonl');
    const ran = await run(['convert', file]);
    expect(ran).toMatchObject({
      code: 1,
      stderr:
        `sessionctl: ${file}: line 5 is damaged (torn-line) and was left out\n` +
        'sessionctl: 5 records: 2 mapped, 1 merged, 1 kept as custom, 1 dropped; 1 loss (DAMAGED_LINE 1)\n',
    });
    expect((await run(['validate'], { stdin: ran.stdout })).code).toBe(0);
  });

  it('refuses what it would have to guess, and writes nothing', async () => {
    const folder = filesOf({ 'a.jsonl': LOG.replace('1', '2'), 'codex.txt': 'notes\n' });
    const out = join(folder, 'out.jsonl');
    const refused = async (...argv: string[]): Promise<string> => {
      const ran = await run(['convert', '-o', out, ...argv]);
      expect(ran).toMatchObject({ code: 2, stdout: '' });
      expect(existsSync(out)).toBe(false);
      return ran.stderr;
    };
    const file = join(folder, 'a.jsonl');
    expect(await refused(file)).toBe(
      `sessionctl: ${file}: probably a toy log, but not surely; nothing was written; pass '--from toy' if it is\n`,
    );
    expect(await refused(join(folder, 'codex.txt'))).toContain('looks like plain text');
    expect(await refused('--from', 'toy', join(folder, 'codex.txt'))).toContain("does not fit '--from toy'");
    expect((await run(['convert', '--from', 'toy', '-o', out, file])).code).toBe(0);
  });

  it('writes an account of every record to --report', async () => {
    const folder = filesOf({ 'a.jsonl': LOG });
    const [file, report] = [join(folder, 'a.jsonl'), join(folder, 'report.json')];
    await run(['convert', '--report', report, file]);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
      file,
      source: { format: 'toy', version: '0.1', bytes: LOG.length, confidence: 'certain' },
      counts: { records: 4, mapped: 2, merged: 1, custom: 1, dropped: 0 },
      losses: [],
      roundtrip: 'semantic',
    });
    for (const other of [file, join(folder, 'out.jsonl')]) {
      const ran = await run(['convert', '--report', other, '-o', join(folder, 'out.jsonl'), file]);
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('choose another file with --report') });
    }
    expect(readFileSync(file, 'utf8')).toBe(LOG);
  });

  it('writes to a file all at once, and never over its input', async () => {
    const folder = filesOf({ 'a.jsonl': LOG });
    const [file, out] = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')];
    expect(await run(['convert', '-o', out, file])).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(out, 'utf8')).toBe((await run(['convert', file])).stdout);
    expect((await run(['convert', '-o', file, file])).stderr).toContain('is the input file itself');
    expect(readdirSync(folder).sort()).toEqual(['a.jsonl', 'b.jsonl']);
  });

  const FAMILY = {
    'a.jsonl': `${LOG}{"other":"inner"}\n{"in":"inner","say":"inside"}\n{"other":"kid","file":"a/kid.jsonl"}\n`,
    'a/kid.jsonl': '{"toy":1,"id":"kid"}\n{"say":"from the kid"}\n{"other":"lost","file":"a/lost.jsonl"}\n',
  };

  it('writes the sessions of subagents beside the parent in a folder, else counts them', async () => {
    const folder = filesOf(FAMILY);
    const [file, out] = [join(folder, 'a.jsonl'), join(folder, 'out')];
    const single = await run(['convert', file]);
    expect(single.stderr).toContain('; no losses; 2 other sessions not written (-o DIR/ writes all)\n');
    const ran = await run(['convert', '-o', `${out}/`, '--report', join(folder, 'report'), file]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`sessionctl: ${file}: the session 'lost' was not found\n`);
    const written = readdirSync(out).map((name) => readFileSync(join(out, name), 'utf8'));
    expect(written).toHaveLength(3);
    expect(written.filter((text) => text.includes('from the kid'))).toHaveLength(1);
    expect(written.filter((text) => text.includes('inside'))).toHaveLength(1);
    expect(written).toContain(single.stdout);
    for (const text of written) expect((await run(['validate'], { stdin: text })).code).toBe(0);
    const reports = entriesOf(readFileSync(join(folder, 'report'), 'utf8'));
    expect(reports.map(({ output }) => output).sort()).toEqual(readdirSync(out).map((name) => join(out, name)));
    // Names are made of time and id, and are the same in every run.
    await run(['convert', '-o', out, file]);
    expect(readdirSync(out)).toHaveLength(3);
  });

  it('writes the session that --session names', async () => {
    const folder = filesOf(FAMILY);
    const file = join(folder, 'a.jsonl');
    expect((await run(['convert', '--session', 'kid', file])).stdout).toContain('from the kid');
    expect((await run(['convert', '--session', 'inner', file])).stdout).toContain('inside');
    // Readers take it too, and the start of an id is enough.
    expect((await run(['log', '--session', 'ki', file])).stdout).toContain('from the kid');
    expect((await run(['log', '--session', 'inner', file])).stdout).toContain('inside');
    expect((await run(['tree', '--session', 'main', file])).stdout).toContain('2 user');
    const ran = await run(['convert', '--session', 'nobody', file]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain("has no session 'nobody'; it has kid, inner\n");
  });

  it('takes several files where they go to a folder, and goes on behind a bad one', async () => {
    const folder = filesOf({
      'a.jsonl': LOG,
      'b.jsonl': LOG.replace('1', '1,"id":"other"'),
      'c.txt': 'notes\n',
      'd.jsonl': LOG,
    });
    const files = readdirSync(folder).map((name) => join(folder, name));
    expect(await run(['convert', ...files])).toMatchObject({ code: 2, stderr: expect.stringContaining('need -o') });
    const ran = await run(['convert', '-o', join(folder, 'out/'), ...files]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`${files[0]}: 4 records: `);
    expect(ran.stderr).toContain('looks like plain text');
    expect(ran.stderr).toContain(`${files[3]}: has the same time and id as ${files[0]}`);
    expect(readdirSync(join(folder, 'out'))).toHaveLength(2);
  });

  it('refuses a native log without a header, an empty one among them', async () => {
    for (const [stdin, what] of [
      ['', 'is empty; there is nothing to convert'],
      [user('a', null), "has no header; run 'sessionctl repair' first"],
    ] as const)
      expect(await run(['convert'], { stdin })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `sessionctl: -: ${what}\n`,
      });
    expect((await run(['convert'], { stdin: HEADER })).stdout).toBe(HEADER);
  });
});
