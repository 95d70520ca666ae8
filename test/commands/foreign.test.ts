import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { entry, HEADER, user } from '../support/sessions.ts';

const scratch = scratchFolder();
const fixtures = join(projectRoot, 'fixtures', 'foreign');
const ours = "if it is a log of pi or omp, pass '--from pi' or '--from omp'";

let folders = 0;
function fileOf(content: string | Buffer): { readonly folder: string; readonly file: string } {
  const folder = join(scratch, String(folders++));
  mkdirSync(folder);
  const file = join(folder, 'log.jsonl');
  writeFileSync(file, content);
  return { folder, file };
}

/** Every way to write; OUT and BLOBS are names in the folder of the log. */
const WRITERS: readonly (readonly string[])[] = [
  ['repair', '-i'],
  ['repair', '-o', 'OUT'],
  ['repair'],
  ['repair', '-i', '--settle-tools', '--settle-leaf'],
  ['migrate', '-i'],
  ['migrate', '-o', 'OUT'],
  ['migrate'],
  ['externalize', '-i', '--blobs', 'BLOBS', '--min-chars', '1'],
  ['inline', '-i'],
  ['inline', '-o', 'OUT'],
  ['append'],
];
const EXTERNALIZE = ['externalize', '-o', 'OUT', '--blobs', 'BLOBS', '--min-chars', '1'];
/** These read a log of an unknown version, and one with few known entries, and write another file. */
const COPIERS = [
  ['fork', '-o', 'OUT'],
  ['export', '-o', 'OUT.md'],
];

async function refuses(command: readonly string[], content: string | Buffer): Promise<string> {
  const { folder, file } = fileOf(content);
  const words = command.map((word) => word.replace(/^(OUT|BLOBS)/, join(folder, '$1')));
  const rev = command[0] === 'fork' ? ['@'] : [];
  const stdin = command[0] === 'append' ? '{"type":"custom","customType":"x"}\n' : '';
  const ran = await run([...words, file, ...rev], { stdin });
  expect({ command, code: ran.code, stdout: ran.stdout }).toEqual({ command, code: 2, stdout: '' });
  expect(readdirSync(folder)).toEqual(['log.jsonl']);
  expect(readFileSync(file).equals(Buffer.from(content))).toBe(true);
  return ran.stderr;
}

describe('the log of another agent', () => {
  it.each(readdirSync(fixtures))('is refused and left as it is by every command that writes: %s', async (name) => {
    const content = readFileSync(join(fixtures, name));
    const isOurs = name === 'few-entries.jsonl';
    const isRead = !isOurs && (await run(['log', join(fixtures, name)])).code < 2;
    const copiers = isRead ? [] : isOurs ? [EXTERNALIZE] : [EXTERNALIZE, ...COPIERS];
    // These are repaired in their own format.
    const writers = isRead ? WRITERS.filter(([command]) => command !== 'repair') : WRITERS;
    for (const command of [...writers, ...copiers]) {
      expect(await refuses(command, content)).toContain(isOurs ? ours : 'session log');
    }
  });

  it('is named after its first record, whatever follows', async () => {
    const named = async (name: string): Promise<string> => (await run(['validate', join(fixtures, name)])).stderr;
    expect(await named('droid.jsonl')).toContain('a Factory Droid session');
    expect(await named('pi-sdk.jsonl')).toContain("a log of pi's SDK");
    expect(await named('version-0.jsonl')).toContain('JSON Lines in an unknown format');
  });

  it('is refused though it is damaged', async () => {
    const droid = readFileSync(join(fixtures, 'droid.jsonl'));
    // Half a character in the title of the first record.
    const broken = Buffer.concat([droid.subarray(0, 45), Buffer.from([0xc3]), droid.subarray(45)]);
    expect(await refuses(['repair', '-i'], broken)).toContain('a Factory Droid session');
    expect(await refuses(['repair', '-i'], droid.subarray(0, -20))).toContain('a Factory Droid session');
    expect(await refuses(['repair', '-i'], Buffer.concat([Buffer.from('\0\0'), droid]))).toContain('session log');
  });
});

describe('a log of an unknown version', () => {
  const log = `${HEADER.replace('"version":3', '"version":4')}${user('a', null)}${user('b', 'gone')}`;

  it('is not changed unasked', async () => {
    for (const command of [...WRITERS, EXTERNALIZE]) {
      const said = await refuses(command, log);
      expect(said).toContain('version 4');
      // Neither goes on with a version that it does not know, whoever says whose log it is.
      expect(said.includes(ours)).toBe(command[0] !== 'migrate' && command[0] !== 'append');
    }
  });

  it('is repaired where --from says whose it is', async () => {
    const { file } = fileOf(log);
    const ran = await run(['repair', '-i', '--from', 'omp', file]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('unknown-version');
    expect(readFileSync(file, 'utf8')).toContain('"version":4');
    expect(readFileSync(file, 'utf8')).toContain('"id":"b","parentId":"a"');
  });
});

describe('a log whose records are mostly not known', () => {
  const span = (n: number): string => entry('span', `x${n}`, null);
  const log = (known: number, unknown: number): string =>
    HEADER +
    Array.from({ length: known }, (_, n) => user(`a${n}`, null)).join('') +
    Array.from({ length: unknown }, (_, n) => span(n)).join('');

  it('is refused by the majority of its first 256 records', async () => {
    expect(await refuses(['repair', '-i'], log(2, 3))).toContain(
      `only 3 of the first 6 records are known to pi or omp`,
    );
    expect((await run(['repair'], { stdin: log(2, 2) })).code).toBe(0);
    expect(await refuses(['externalize', '-i', '--blobs', 'BLOBS'], log(127, 128))).toContain(
      'only 128 of the first 256 records',
    );
    for (const command of ['repair', 'inline', 'migrate']) {
      const input = log(128, 400);
      expect(await run([command], { stdin: input }), command).toMatchObject({ code: 0, stdout: input });
    }
  });

  it('is taken where --from says whose it is', async () => {
    const input = log(0, 9);
    for (const command of [['repair'], ['migrate'], ['inline'], ['externalize', '--blobs', join(scratch, 'none')]]) {
      expect(await run([...command, '--from', 'pi'], { stdin: input }), command[0]).toMatchObject({
        code: 0,
        stdout: input,
      });
    }
    const { file } = fileOf(input);
    expect((await run(['append', '--from', 'pi', file], { stdin: '{"type":"custom","customType":"x"}\n' })).code).toBe(
      0,
    );
    expect(readFileSync(file, 'utf8').startsWith(input)).toBe(true);
    expect(existsSync(join(scratch, 'none'))).toBe(false);
  });

  it('is refused even so where nothing in it is of pi or omp', async () => {
    expect(await refuses(['repair', '-i', '--from', 'pi'], readFileSync(join(fixtures, 'gemini.jsonl')))).toContain(
      'Gemini',
    );
    expect(await refuses(['repair', '-i', '--from', 'pi'], 'notes\nand more\n')).toContain('plain text');
  });
});
