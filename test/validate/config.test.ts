import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { configJsonSchema } from '../../src/validate/config-json-schema.ts';
import { run, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const scratch = scratchFolder();
const project = join(scratch, 'project');
mkdirSync(join(project, 'logs', 'broken'), { recursive: true });
mkdirSync(join(scratch, 'elsewhere'));
const warned = `${HEADER}${user('a', null)}\n${user('b', 'a')}`;
writeFileSync(join(project, 'logs', 'a.jsonl'), warned);
writeFileSync(join(project, 'logs', 'broken', 'b.jsonl'), `${HEADER}{"x\n`);

function config(settings: object | string, name = 'config.json'): string {
  const path = join(project, name);
  writeFileSync(path, typeof settings === 'string' ? settings : JSON.stringify(settings));
  return path;
}

const validate = (settings: object | string, ...words: string[]) =>
  run(['validate', '--config', config(settings), ...words, join(project, 'logs')]);

describe('the configuration file of validate', () => {
  it('sets levels, which --rule overrides one by one', async () => {
    const rules = { 'blank-line': 'error', 'torn-line': 'off' };
    const ran = await validate({ rules });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^[^\n]*a\.jsonl:3: error: blank-line: [^\n]*\n$/);
    expect(await validate({ rules }, '--rule', 'blank-line=off')).toMatchObject({ code: 0, stdout: '' });
  });

  it('ignores what its globs match from its own folder, and says how many files that are', async () => {
    for (const folder of ['logs/broken', join(project, 'logs', 'broken')]) {
      const ran = await validate({ ignore: [folder] }, '--rule', 'blank-line=off');
      expect(ran).toMatchObject({ code: 0, stdout: '' });
      expect(ran.stderr).toContain('no problems found in 1 session (2 entries); 1 ignored file, not checked\n');
    }
  });

  it('chooses the formats, with files from its own folder, unless --format does', async () => {
    const formats = ['json', 'sarif=found.sarif'];
    expect((await validate({ formats })).stdout).toContain('{"summary":');
    expect(readdirSync(project)).toContain('found.sarif');
    expect((await validate({ formats }, '--format', 'text')).stdout).toContain(': error: torn-line: ');
  });

  it('lets nothing be written outside its own folder, not even through a link', async () => {
    symlinkSync(join(scratch, 'elsewhere'), join(project, 'way-out'));
    symlinkSync(join(scratch, 'elsewhere', 'file'), join(project, 'link'));
    writeFileSync(join(scratch, 'elsewhere', 'file'), 'precious');
    for (const file of ['../elsewhere/x.sarif', join(scratch, 'x.sarif'), 'way-out/x.sarif', 'link']) {
      const ran = await validate({ formats: [`sarif=${file}`] });
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('outside the folder of this file') });
    }
    expect(readdirSync(join(scratch, 'elsewhere'))).toEqual(['file']);
  });

  it('names the report whose folder is not there', async () => {
    const path = join(project, 'reports', 'x.sarif');
    const ran = await validate({ formats: ['sarif=reports/x.sarif'] });
    expect(ran).toMatchObject({ code: 2, stderr: `sessionctl: ${path}: no such folder; make it first\n` });
  });

  it('limits the warnings, as --max-warnings does', async () => {
    const off = ['--rule', 'torn-line=off'];
    expect((await validate({ maxWarnings: 1 }, ...off)).code).toBe(0);
    const ran = await validate({ maxWarnings: 0 }, ...off);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('too many warnings: 1 (maximum: 0)\n') });
    expect((await validate({ maxWarnings: 0 }, ...off, '--max-warnings', '1')).code).toBe(0);
  });

  it('names the blob store', async () => {
    const ran = await validate({ blobs: 'no-such-store' });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(join(project, 'no-such-store')) });
  });

  it('takes absolute paths as they are', async () => {
    const known = join(scratch, 'known.json');
    const settings = { suppressions: known, blobs: scratch, formats: [`text=${join(project, 'found.txt')}`] };
    expect((await validate(settings, '--suppress-all')).code).toBe(0);
    expect(readdirSync(scratch)).toContain('known.json');
    expect(readdirSync(project)).toContain('found.txt');
    expect((await validate(settings)).stderr).toContain('; 2 findings suppressed\n');
  });

  it('is found from the working folder upwards, and not with --no-config', async () => {
    config({ ignore: ['logs/broken/**'], rules: { 'blank-line': 'off' } }, 'sessionctl.config.json');
    const cwd = join(project, 'logs', 'broken');
    expect(await spawnProgram(['validate', '..'], { cwd })).toMatchObject({ code: 0, stdout: '' });
    const all = await spawnProgram(['validate', '..', '--all'], { cwd });
    expect(all.stderr).toContain(
      "sessionctl: ../broken/b.jsonl: skipped: is ignored by 'logs/broken/**' in ../../sessionctl.config.json\n",
    );
    expect((await spawnProgram(['validate', '..', '--no-config'], { cwd })).stdout).toContain('torn-line');
  });

  it.each([
    ['{"rules":', 'is not JSON'],
    ['[]', 'must be an object'],
    [{ rule: {} }, "unknown key 'rule'; did you mean 'rules'?"],
    [{ maxWarning: 1 }, "unknown key 'maxWarning'; did you mean 'maxWarnings'?"],
    [{ rules: { 'blank-lin': 'off' } }, "unknown rule 'blank-lin'; did you mean 'blank-line'?"],
    [{ rules: { 'blank-line': 'warn' } }, "'rules.blank-line' must be one of error, warning, off"],
    [{ rules: [] }, "'rules' must be an object"],
    [{ ignore: 'x' }, "'ignore' must be an array"],
    [
      { formats: ['text', 'xml'] },
      "'formats.1' must be one of text, json, github, sarif, junit, junit-ant, markdown, maybe with",
    ],
    [{ maxWarnings: 'x' }, "'maxWarnings' must be a number"],
    [{ maxWarnings: 1.5 }, "'maxWarnings' must be a number"],
    [{ maxWarnings: -1 }, "'maxWarnings': "],
    [{ formats: ['text', 'json'] }, 'only one format can be printed'],
  ])('is refused as %j', async (settings, said) => {
    const ran = await validate(settings);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(said) });
  });

  it('has a JSON Schema, part of the schema command, that agrees with the program', async () => {
    const schema = JSON.parse((await run(['schema', '--config'])).stdout) as object;
    expect(schema).toEqual(configJsonSchema());
    const fits = new Ajv2020({ allErrors: true }).compile(schema);
    const good = {
      $schema: './sessionctl.schema.json',
      rules: { 'blank-line': 'off' },
      ignore: ['**/broken'],
      formats: ['text', 'sarif=a.sarif'],
      blobs: 'blobs',
      maxWarnings: 3,
      suppressions: 'known.json',
    };
    expect(fits(good)).toBe(true);
    const bad = [
      { rule: {} },
      { rules: { x: 'off' } },
      { rules: { 'blank-line': 1 } },
      { formats: ['xml'] },
      { maxWarnings: -1 },
    ];
    expect(bad.filter((one) => fits(one))).toEqual([]);
    expect(await run(['schema', '--config', '--entry', 'title'])).toMatchObject({ code: 2 });
  });
});

describe('--ignore', () => {
  it.each([
    ['**/broken/**', true],
    ['**/broken', true],
    ['**/broken/', true],
    ['**/b.jsonl', true],
    ['broken', false],
    ['!**/a.jsonl', false],
  ])('with %s leaves out what it matches: %s', async (glob, leaves) => {
    const ran = await run(['validate', '--no-config', '--ignore', glob, join(project, 'logs')]);
    expect(ran.stderr.includes('1 ignored file, not checked')).toBe(leaves);
    expect(ran.stdout.includes('torn-line')).toBe(!leaves);
  });

  it.each(['', '/'])("refuses '%s', which matches nothing", async (glob) => {
    const ran = await run(['validate', '--no-config', '--ignore', glob, project]);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('of --ignore matches no file') });
  });

  it('leaves out a file that was named too, and a run that checked nothing is never fine', async () => {
    const file = join(project, 'logs', 'a.jsonl');
    expect(await run(['validate', '--no-config', '--ignore', '**/a.jsonl', file])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('sessionctl: no sessions checked: 1 ignored file, not checked\n'),
    });
  });

  it('is reported by every format, with the reason', async () => {
    const formats = ['json', 'github', 'sarif', 'junit', 'junit-ant', 'markdown'];
    for (const format of formats) {
      const words = ['validate', '--no-config', '--ignore', '**/b.jsonl', '--format', format];
      expect((await run([...words, project])).stdout, format).toContain(
        '**/b.jsonl'.replaceAll('*', format === 'markdown' ? '\\*' : '*'),
      );
    }
  });
});
