import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder();
const at = (name: string): string => join(folder, name);
const ok = at('ok.jsonl');
cpSync('fixtures/sessions/pi-branches.jsonl', ok);
const crashed = at('crashed.jsonl');
cpSync('fixtures/readme/crashed.jsonl', crashed);
for (const name of ['folder', 'empty']) mkdirSync(at(name));
cpSync(ok, at('folder/ok.jsonl'));
symlinkSync('nowhere', at('link.jsonl'));
const CONTENTS: Readonly<Record<string, string | Buffer>> = {
  'empty.jsonl': '',
  'letter.docx': Buffer.from(`PK\u0003\u0004${'\0'.repeat(26)}[Content_Types].xml`, 'latin1'),
  'logs.zip': Buffer.from(`PK\u0003\u0004${'\0'.repeat(26)}a.jsonl`, 'latin1'),
  'picture.png': Buffer.from('\u0089PNG\r\n\u001a\n\0\0', 'latin1'),
  'program.jsonl': Buffer.from('\u007fELF\u0002\u0001\u0001\0\0\0\n\0\0\0', 'latin1'),
  'paper.pdf': '%PDF-1.7\n',
  'page.html': '<!doctype html>\n<html>\n',
  'wide.jsonl': Buffer.from('\ufeff{"type":"session"}\n', 'utf16le'),
  'notes.txt': 'hello\n',
  'package.json': '{"name":"x"}\n',
};
for (const [name, content] of Object.entries(CONTENTS)) writeFileSync(at(name), content);

/** A call that somebody may make, and what it is told. */
const MISTAKES: readonly (readonly [argv: readonly string[], reported: string])[] = [
  [['validate', at('none.jsonl')], 'none.jsonl: no such file or folder; check the path'],
  [['validate', at('link.jsonl')], 'link.jsonl: no such file or folder; check the path'],
  [['validate', at('empty')], "no session log found; pass a file, or a folder with '*.jsonl' files"],
  [['log', at('folder')], "is a folder; pass a file, such as one that 'sessionctl ls' lists"],
  [['log', at('letter.docx')], "(looks like an Office document); 'sessionctl formats' lists those that are"],
  [['log', at('logs.zip')], '(looks like a zip archive; unpack it first)'],
  [['log', at('picture.png')], "(looks like a picture); 'sessionctl formats' lists those that are"],
  [['log', at('program.jsonl')], "(looks like a binary file); 'sessionctl formats' lists those that are"],
  [['validate', at('paper.pdf')], "(looks like a PDF document); 'sessionctl formats' lists those that are"],
  [['log', at('page.html')], "(looks like an HTML page); 'sessionctl formats' lists those that are"],
  [['validate', at('wide.jsonl')], '(looks like text in UTF-16; save it as UTF-8 first)'],
  [['repair', '-i', at('notes.txt')], "(looks like plain text); 'sessionctl formats' lists those that are"],
  [
    ['log', at('package.json')],
    "(looks like JSON Lines in an unknown format); 'sessionctl formats' lists those that are",
  ],
  [['migrate', at('notes.txt')], "(looks like plain text); 'sessionctl formats' lists what can be read"],
  [['log', at('empty.jsonl')], 'has neither a header nor entries; there is nothing to show'],
  [['log', ok, crashed], 'one FILE at a time'],
  [['log', 'claude:last'], "no session 'claude:last'; looked in "],
  [
    ['log', 'claude'],
    "'claude' is no file but an agent; 'claude:last' is its newest session, and 'sessionctl ls claude'",
  ],
  [['blobs', 'ls', 'codex'], "'codex' is no file but an agent"],
  [['validate', 'codex:'], "'codex:' is no file but an agent; 'codex:last' is its newest session"],
  [['claude:last'], "a command such as 'validate' comes before the file 'claude:last'"],
  [['log', 'cluade:last'], "'cluade:last' is no file, and 'cluade' no agent; agents are pi, omp, codex, claude"],
  [['grep', 'x', at('none.jsonl')], 'is neither a file nor an agent; agents are pi, omp'],
  [['lgo', ok], "unknown command 'lgo'; did you mean 'log'?"],
  [['log', '--reverze', ok], "unknown option '--reverze'; did you mean '--reverse'?"],
  [['log', '--strict', ok], "unknown option '--strict'; 'validate' has it"],
  [['tree', '--report', 'x', ok], "unknown option '--report'; 'repair' and 'convert' have it"],
  [['stats', '--leaf', '@', ok], "unknown option '--leaf'; 'context', 'tree', 'log' and others have it"],
  [['log', '--nonsense', ok], "unknown option '--nonsense'\n"],
  [['log', '-i', ok], "unknown option '-i'; 'migrate', 'repair', 'grep' and others have it"],
  [['log', '-x', ok], "unknown option '-x'; a file whose name starts with a dash comes after '--'"],
  [['validate', '-v', ok], "unknown option '-v'; 'sessionctl -v' prints the version, and 'status -v' is verbose"],
  [['validate', '--verbose', ok], "unknown option '--verbose'; 'status' has it"],
  [['validate', '--version'], "unknown option '--version'; 'sessionctl --version' prints the version"],
  [['log', '-V', ok], "unknown option '-V'; 'sessionctl --version' prints the version"],
  [['context', 'HEAD'], "'HEAD' is no file; '--leaf HEAD' names an entry"],
  [['context', ok, 'HEAD'], "'HEAD' is no file; '--leaf HEAD' names an entry"],
  [['log', ok, 'HEAD~2'], "'HEAD~2' is no file; '--leaf HEAD~2' names an entry"],
  [['tree', 'leaf:2'], "'leaf:2' is no file; '--leaf leaf:2' names an entry"],
  [['status', ok, '@'], "'@' is no file; '--leaf @' names an entry"],
  [['export', 'root', ok], "'root' is no file; '--leaf root' names an entry"],
  [['log', '--leaf'], "option '--leaf' needs a value: --leaf REV"],
  [['log', '-n', '-3', ok], "option '--max-count' needs an integer, not '-3'"],
  [['log', '-n', 'x', ok], "option '--max-count' needs an integer, not 'x'"],
  [['log', '--leaf', 'zzzz', ok], "'zzzz' does not match any entry; use '@', '@~N', 'root', 'line:N', 'leaf:N', an id"],
  [['fork', ok, 'leaf:99'], "there is no 'leaf:99'; the log has 2 leaves, 'leaf:1' to 'leaf:2'"],
  [['context', '--leaf', '@~999', ok], "'@~999' goes past the root; there are 14 entries above '@'"],
  [['diff', ok, 'none.jsonl'], "'none.jsonl' is neither a file that is there nor an entry; check the path"],
  [['fork', ok], "fork needs a FILE and a REV, such as 'sessionctl fork f.jsonl @'"],
  [['repair', crashed, '-o', at('folder')], 'folder: is a folder; pass a file'],
  [['repair', crashed, '-o', at('none/x.jsonl')], 'x.jsonl: no such folder; make it first'],
  [['repair', crashed, '-o', crashed], 'is the input file itself; use -i to change a file in place'],
  [['repair', at('folder')], 'is a folder: -i changes the logs in it, and --check says which would change'],
  [['export', ok, '-o', at('x.docx')], "ends in '.docx', not in .md, .markdown, .html or .htm"],
  [['convert', '--to', 'claude-code', ok], "option '--to' must be one of pi, omp, atif"],
  [
    ['validate', '--rule', 'nonsense=off', ok],
    "unknown rule 'nonsense'; 'sessionctl validate --list-rules' lists them",
  ],
  [
    ['validate', '--format', 'xml', ok],
    "option '--format' must be one of text, json, github, sarif, junit, junit-ant, markdown",
  ],
];

describe('a mistake that a person makes', () => {
  const home = { env: { HOME: folder } };
  const terminal: RunOptions = { ...home, stdinIsTerminal: true, stdoutIsTerminal: true };

  it.each(MISTAKES)('is reported with what to do, in a pipe and on a terminal: %j', async (argv, reported) => {
    const before = readdirSync(folder);
    for (const where of [home, { ...terminal, env: { ...home.env, NO_COLOR: '1' } }]) {
      const ran = await run(argv, where);
      expect(ran.code).toBeGreaterThan(0);
      // On a terminal the summary of validate is a part of its report.
      expect(ran.stdout).toMatch(where === home ? /^$/ : /^(?:no sessions checked.*\n)?$/);
      expect(ran.stderr).toContain(reported);
      expect(ran.stderr).not.toMatch(/^\s+at /m);
      expect(ran.stderr.split('\n').length).toBeLessThan(5);
    }
    expect(readdirSync(folder)).toEqual(before);
  });

  it.skipIf(process.getuid?.() === 0)('is reported where files may not be read', async () => {
    const secret = at('secret.jsonl');
    writeFileSync(secret, 'x');
    chmodSync(secret, 0);
    expect((await run(['log', secret])).stderr).toContain('secret.jsonl: permission denied; check the permissions');
  });

  it('is no wait for ever: append says on a terminal what it reads', async () => {
    const ran = await run(['append', ok], { stdinIsTerminal: true });
    expect(ran.stderr).toBe('sessionctl: reading entries from the terminal, one JSON object per line; Ctrl-D ends\n');
  });
});
