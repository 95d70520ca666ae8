import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import { programPath, projectRoot, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder();
const starts = join(projectRoot, 'dist/starts');
const codeOf = (name: string): string => `${name}-${process.version}-${process.arch}.code`;
const log = join(projectRoot, 'fixtures/sessions/pi-branches.jsonl');
const calls = [
  ['--version'],
  ['-V', 'x'],
  ['log', log],
  ['validate', '--format', 'json', log],
  ['tree', '--nope'],
  ['lgo'],
  ['check-worker', log],
  ['help', 'log'],
];

/** A copy of the built program whose starts may be changed. */
function copied(name: string): { readonly program: string; readonly starts: string } {
  const root = join(folder, name);
  mkdirSync(join(root, 'dist'), { recursive: true });
  cpSync(join(projectRoot, 'bin'), join(root, 'bin'), { recursive: true });
  cpSync(join(projectRoot, 'package.json'), join(root, 'package.json'));
  for (const part of ['main.js', 'chunks']) symlinkSync(join(projectRoot, 'dist', part), join(root, 'dist', part));
  cpSync(starts, join(root, 'dist/starts'), { recursive: true });
  return { program: join(root, 'bin/sessionctl.js'), starts: join(root, 'dist/starts') };
}

async function expectSameAnswers(program: string): Promise<void> {
  for (const argv of calls) {
    const { code, stdout, stderr } = await spawnProgram(argv);
    expect(await spawnCommand(process.execPath, [program, ...argv])).toMatchObject({ code, stdout, stderr });
  }
}

describe('the starts of the commands', () => {
  it('are there for every command that can do without the others', () => {
    const wanted = [...commands.map(({ name }) => name).filter((name) => name !== 'completion'), 'check-worker'];
    expect(readdirSync(starts).sort()).toEqual(wanted.flatMap((name) => [`${name}.cjs`, codeOf(name)]).sort());
  });

  it('come with code that this V8 takes', () => {
    for (const { name } of commands) {
      if (!existsSync(join(starts, `${name}.cjs`))) continue;
      const source = readFileSync(join(starts, `${name}.cjs`), 'utf8');
      const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
        cachedData: readFileSync(join(starts, codeOf(name))),
      });
      expect(script.cachedDataRejected, name).toBe(false);
    }
  });

  it('can be missing', async () => {
    const { program, starts } = copied('without-starts');
    rmSync(starts, { recursive: true });
    await expectSameAnswers(program);
  });

  it('can come without code, as in a package', async () => {
    const { program, starts } = copied('without-code');
    for (const { name } of commands) rmSync(join(starts, codeOf(name)), { force: true });
    await expectSameAnswers(program);
  });

  it('can come with code of another V8', async () => {
    const { program, starts } = copied('other-code');
    for (const { name } of commands) writeFileSync(join(starts, codeOf(name)), Buffer.alloc(5000, name));
    await expectSameAnswers(program);
  });

  it('tell the version quietly to a reader that is gone', async () => {
    const ran = await spawnCommand('bash', ['-c', `'${process.execPath}' '${programPath}' --version | true; echo "\${PIPESTATUS[0]}"`]);
    expect(ran).toMatchObject({ stdout: '0\n', stderr: '' });
  });
});
