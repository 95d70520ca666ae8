import { copyFileSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';
import { HEADER, user } from '../support/sessions.ts';

const fixtures = join(projectRoot, 'fixtures');
const OLD = '{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/r"}\n';
const OLD_ENTRY =
  '{"type":"message","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"hi","timestamp":1}}\n';

/** A healthy log, an old one, a torn one, one of Claude Code, one of nobody, and a link in a circle. */
function folderOfAll(): string {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'deep'));
  writeFileSync(join(folder, 'a.jsonl'), `${HEADER}${user('a', null)}`);
  writeFileSync(join(folder, 'deep/old.jsonl'), OLD + OLD_ENTRY);
  writeFileSync(join(folder, 'torn.jsonl'), `${OLD}${OLD_ENTRY}{"type":"mess`);
  copyFileSync(join(fixtures, 'formats/claude-code/2.1.325/tools.jsonl'), join(folder, 'claude.jsonl'));
  writeFileSync(join(folder, 'other.jsonl'), '{"a":1}\n{"b":2}\n');
  symlinkSync('..', join(folder, 'deep/up'));
  return folder;
}

const bytesOf = (folder: string): string[] =>
  ['a.jsonl', 'claude.jsonl', 'other.jsonl'].map((name) => readFileSync(join(folder, name), 'utf8'));

describe('a folder', () => {
  it('is migrated file by file: the damaged one is named, what is not ours stays, the rest is done', async () => {
    const folder = folderOfAll();
    const before = bytesOf(folder);
    const check = await run(['migrate', '--check', folder]);
    expect(check.stderr).toContain(`${join(folder, 'deep/old.jsonl')}: would change\n`);
    const ran = await run(['migrate', '-i', folder]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/torn\.jsonl:.*3.*repair/);
    expect(ran.stderr).toMatch(/2 files skipped, of kinds that this command does not take\n$/);
    expect(readFileSync(join(folder, 'deep/old.jsonl'), 'utf8')).toContain('"version":3');
    expect(readFileSync(join(folder, 'torn.jsonl'), 'utf8')).toBe(`${OLD}${OLD_ENTRY}{"type":"mess`);
    expect(bytesOf(folder)).toEqual(before);
  });

  it('is repaired file by file, each in its own format', async () => {
    const folder = folderOfAll();
    const before = bytesOf(folder);
    expect((await run(['repair', '-n', folder])).code).toBe(1);
    const ran = await run(['repair', '-i', folder]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/1 file skipped, of kinds that this command does not take\n$/);
    expect(readFileSync(join(folder, 'torn.jsonl'), 'utf8')).toBe(OLD + OLD_ENTRY);
    expect(readFileSync(join(folder, 'torn.jsonl.quarantine'), 'utf8')).toContain('mess');
    expect(bytesOf(folder)).toEqual(before);
    expect(await run(['repair', '-i', '--report', join(folder, 'r'), folder])).toMatchObject({ code: 2 });
  });

  it('needs -i or --check where logs are changed, and has to have some', async () => {
    const folder = folderOfAll();
    const ran = await run(['migrate', folder]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`'${folder}' is a folder: -i changes the logs in it`);
    expect((await run(['repair', '-i', scratchFolder()])).stderr).toContain('no log found that this command takes');
  });

  it('has a status for each of its sessions', async () => {
    const folder = folderOfAll();
    const { code, stdout, stderr } = await run(['status', folder]);
    expect(code).toBe(1);
    const lines = stdout.trim().split('\n');
    expect(lines.pop()).toBe(`next: sessionctl repair -i --backup ${join(folder, 'torn.jsonl')}`);
    expect(lines.map((line) => line.replace(`${folder}/`, '').replace(/: .*/, ''))).toEqual([
      ...['a.jsonl', 'claude.jsonl', 'deep/old.jsonl', 'torn.jsonl'],
    ]);
    expect(lines.every((line) => /: (ready|check|confirm|blocked): /.test(line))).toBe(true);
    expect(stderr).toContain('1 file skipped');
    const records = (await run(['status', '--json', folder])).stdout.trim().split('\n');
    expect(records.map((line) => (JSON.parse(line) as { file: string }).file)).toHaveLength(4);
    expect(await run(['status', '--leaf', 'root', folder])).toMatchObject({ code: 2, stdout: '' });
  });

  it('has one line per session in its status, also on a terminal and where logs are damaged', async () => {
    const folder = scratchFolder();
    for (let at = 10; at < 22; at++) writeFileSync(join(folder, `${at}.jsonl`), `${HEADER}{"type":"mess`);
    copyFileSync(join(fixtures, 'formats/claude-code/2.1.325/tools.jsonl'), join(folder, 'claude.jsonl'));
    const warnings: Error[] = [];
    const warn = (warning: Error): number => warnings.push(warning);
    process.on('warning', warn);
    const { stdout, stderr } = await run(['status', folder], { stdoutIsTerminal: true, env: { NO_COLOR: '1' } });
    await new Promise((done) => setImmediate(done));
    process.off('warning', warn);
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toHaveLength(12 + 1 + 1);
    expect(warnings).toEqual([]);
  });

  it('has at the end of its status what to do about the worst session, of several the one that was changed last', async () => {
    const folder = scratchFolder();
    const next = async (): Promise<string | undefined> => (await run(['status', folder])).stdout.split('\n').at(-2);
    const add = (name: string, text: string, day: number): string => {
      const path = join(folder, name);
      writeFileSync(path, text);
      utimesSync(path, day * 86_400, day * 86_400);
      return path;
    };
    add('a.jsonl', HEADER + user('a', null), 1);
    const newest = add('b.jsonl', HEADER + user('a', null), 3);
    add('c.jsonl', HEADER + user('a', null), 2);
    expect(await next()).toBe(`next: pi --session ${newest}`);
    const torn = add('d.jsonl', `${HEADER}{"type":"mess`, 1);
    expect(await next()).toBe(`next: sessionctl repair -i --backup ${torn}`);
    const again = add('e.jsonl', `${HEADER}{"type":"mess`, 2);
    expect(await next()).toBe(`next: sessionctl repair -i --backup ${again}`);
  });

  it('is taken by commands about many sessions', async () => {
    const folder = folderOfAll();
    const site = join(scratchFolder(), 'site/');
    const files = async (...argv: readonly string[]) => {
      const { stdout } = await run([...argv, folder]);
      return stdout
        .trim()
        .split('\n')
        .map((path) => path.replace(`${folder}/`, ''))
        .sort();
    };
    const sessions = ['a.jsonl', 'claude.jsonl', 'deep/old.jsonl', 'torn.jsonl'];
    expect(await files('ls', '--paths')).toEqual(sessions);
    expect(await files('grep', '-l', '.')).toEqual(sessions);
    expect((await run(['stats', folder])).stderr).toContain('4 files and ');
    expect((await run(['validate', folder])).stderr).toContain('4 sessions');
    expect((await run(['blobs', 'verify', folder])).stderr).toContain('0 refs: ');
    expect((await run(['export', '-o', site, folder])).stderr).toContain('4 pages and ');
    const blobs = join(folder, 'blobs');
    const moved = await run(['externalize', '-i', '--blobs', blobs, folder]);
    expect(moved.stderr).toContain('2 files skipped, of kinds that this command does not take');
  });

  it('is refused by commands about one session, which say what to do', async () => {
    const folder = folderOfAll();
    for (const argv of [
      ['log'],
      ['tree'],
      ['context'],
      ['diff'],
      ['convert'],
      ['inline', '--blobs', folder],
      ['append'],
    ]) {
      const ran = await run([...argv, folder]);
      expect([argv[0], ran.code, ran.stdout]).toEqual([argv[0], 2, '']);
      expect(ran.stderr).toMatch(
        /is a folder; pass a file(?:, such as one that 'sessionctl ls' lists)?\n|is a folder: -i/,
      );
    }
    expect((await run(['fork', folder, '@'])).stderr).toContain(
      "is a folder; pass a file, such as one that 'sessionctl",
    );
    expect((await run(['export', folder])).stderr).toContain(
      "several sessions become a site of HTML pages; pass '-o DIR/'",
    );
  });
});
