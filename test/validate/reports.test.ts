import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programPath, run, spawnCommand } from '../support/run.ts';
import { sarifErrors } from '../support/schemas.ts';
import { scratchFolder } from '../support/scratch.ts';
import { assistant, HEADER, user } from '../support/sessions.ts';
import { parseXml } from '../support/xml.ts';

const scratch = scratchFolder();
const at = (name: string): string => join(scratch, name);
const read = (name: string): string => readFileSync(at(name), 'utf8');
const bad = at('bad.jsonl');
const broken = `${HEADER}${user('a', null)}{"type":"mess\n${assistant('b', 'gone')}`;
writeFileSync(bad, broken);

describe('several formats in one run', () => {
  it('each have all findings: one on standard output, the others in their files', async () => {
    const files = [
      `sarif=${at('a=b.sarif')}`,
      `junit=${at('a.xml')}`,
      `json=${at('a.json')}`,
      `markdown=${at('a.md')}`,
    ];
    const ran = await run(['validate', '--format', 'text', ...files.flatMap((word) => ['--format', word]), bad]);
    expect(ran).toMatchObject({ code: 1, stdout: (await run(['validate', bad])).stdout });
    expect(ran.stderr).toMatch(/^sessionctl: 2 errors in 1 session \(2 entries\)[^\n]*\n$/);
    const sarif = JSON.parse(read('a=b.sarif')) as { runs: [{ results: { ruleId: string }[] }] };
    expect(sarifErrors(sarif)).toEqual([]);
    expect(sarif.runs[0].results.map(({ ruleId }) => ruleId)).toEqual(['torn-line', 'dangling-parent']);
    expect(parseXml(read('a.xml')).attributes).toMatchObject({ failures: '2' });
    expect(read('a.json')).toBe((await run(['validate', '--format', 'json', bad])).stdout);
    expect(read('a.md')).toBe((await run(['validate', '--format', 'markdown', bad])).stdout);
  });

  it('may all be files: the summary is on standard error then', async () => {
    const ran = await run(['validate', '--format', `json=${at('alone.json')}`, bad]);
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^sessionctl: 2 errors in 1 /) });
    expect(read('alone.json')).toContain('torn-line');
  });

  it('write their files with --quiet too, and without color', async () => {
    const words = ['validate', '--quiet', '--color', 'always', '--format', `text=${at('quiet.txt')}`, bad];
    expect(await run(words)).toMatchObject({ code: 1, stdout: '', stderr: '' });
    expect(read('quiet.txt')).toBe((await run(['validate', bad])).stdout);
  });

  it('still write their files when the reader of the output goes away', async () => {
    const many = at('many.jsonl');
    writeFileSync(many, HEADER + '{"x\n'.repeat(30_000));
    const script = `'${process.execPath}' '${programPath}' validate --format text --format json='${at('many.json')}' '${many}' | head -n 1`;
    expect((await spawnCommand('bash', ['-c', script])).stdout).toContain('torn-line');
    expect(read('many.json').trimEnd().split('\n')).toHaveLength(30_001);
  });

  it.each([
    [['json', 'text'], 'only one format can be printed; give the other a file: --format text=FILE'],
    [
      [`json=${at('one')}`, `sarif=${scratch}/./one`],
      `two formats cannot be written to the same file '${scratch}/./one'`,
    ],
    [['json='], "'json=' needs the name of a file: json=FILE"],
    [['json=-'], "'json=-' needs the name of a file: json=FILE"],
    [['jsn=x'], "not 'jsn'; did you mean 'json'?"],
    [[`json=${bad}`], `${bad}: is one of the logs to check; choose another file`],
    [[`json=${at('left')}`, `sarif=${at('no/such/folder')}`], `${at('no/such/folder')}: no such folder; make it first`],
  ])('are refused as %j, and nothing is written', async (formats, said) => {
    const before = readdirSync(scratch);
    const ran = await run(['validate', ...formats.flatMap((word) => ['--format', word]), bad]);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
    expect(readdirSync(scratch)).toEqual(before);
    expect(readFileSync(bad, 'utf8')).toBe(broken);
  });

  it('are written where nothing could be checked, and say so', async () => {
    const formats = ['sarif', 'junit', 'json', 'markdown', 'github'];
    const words = formats.flatMap((name) => ['--format', `${name}=${at(`gone.${name}`)}`]);
    expect(await run(['validate', ...words, at('gone.jsonl')])).toMatchObject({ code: 2, stdout: '' });
    for (const name of formats) expect(read(`gone.${name}`), name).toContain('no such file or folder');
    expect(existsSync(at('gone.jsonl'))).toBe(false);
  });
});
