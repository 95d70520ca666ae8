import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runBlock } from '../scripts/console-examples.ts';
import { rules } from '../src/rules/index.ts';
import { installed } from './support/installed.ts';
import { projectRoot, run, spawnCommand } from './support/run.ts';

const CLAUDE = 'fixtures/formats/claude-code/2.1.325/resume.jsonl';
const CRASHED = 'fixtures/readme/crashed.jsonl';

interface Row {
  /** What is called session.jsonl. */
  readonly log: string;
  /** What each command of the row prints, with its exit code if that is not 0; 1 is the only other one. */
  readonly prints: readonly RegExp[];
}

/** The rows of the tables by their first cells. */
const TABLES: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  'README.md': {
    'the agent does not open the session, or content is missing': {
      log: CRASHED,
      prints: [/^session\.jsonl:5: error: torn-line: [\s\S]*\n# exit 1\n$/],
    },
    'what a finding means': {
      log: CRASHED,
      prints: [/^dangling-parent \(error, fixed by repair\): [\s\S]*\nExample\n.+\n$/],
    },
    errors: { log: CRASHED, prints: [/: 3 changes\n$/, /: 3 changes, 1 piece in 'session\.jsonl\.quarantine'\n$/] },
    'the log is fine, but the newest messages are missing': {
      log: 'fixtures/rules/stale-leaf/bad.jsonl',
      prints: [/\n\* e5f6a7b8 leaf:1 .*\n {2}b2c3d4e5 leaf:2 .*\n$/, /which is the leaf again\n.*: 1 change\n$/, /^$/],
    },
    'is it safe to continue?': { log: CLAUDE, prints: [/^ready: safe to resume \(stable\)\n/] },
    'a log in an old version': { log: 'fixtures/vectors/migrate/m04-v2-hook.jsonl', prints: [/^$/] },
    'show a session to others': { log: CLAUDE, prints: [/\/resume\.jsonl: no secrets found\n$/] },
    'find or count something': { log: CLAUDE, prints: [/^# exit 1\n$/, /^model\t.*\nclaude-opus-5-5\t1\t3\t7\t/] },
  },
  'docs/portability.md': {
    inspection: {
      log: CLAUDE,
      prints: [
        / You are welcome\.\n$/,
        / You are welcome\./,
        /: user: Which port is it now\?\n/,
        /^sessionctl: no problems found in 1 session /,
      ],
    },
    export: { log: CLAUDE, prints: [/^$/, /: 19 mapped, .*\n$/, /: 26 mapped, [\s\S]*# exit 1\n$/] },
    replay: { log: CLAUDE, prints: [/: 26 mapped, .* 0 dropped; /, /^\{"role":"user",/, /^$/] },
    audit: { log: CLAUDE, prints: [/"verdict":"ready"/, /\nthe same\n$/, /^\{"\$schema":"[^"]*sarif/] },
    deletion: {
      log: 'fixtures/rules/missing-blob/bad.jsonl',
      prints: [
        /\/\.claude\/projects\/p\/resume\.jsonl\0/,
        /^session\.jsonl:2: blob:sha256:0b0b.* no store\n$/,
        /^sessionctl: 0 blobs of 0, /,
      ],
    },
  },
};

/** Sessions on the machine: one of today. */
const SETUP = [
  'mkdir -p .claude/projects/p .omp/agent/blobs',
  `sed "s/2026-11-..T/$(date -u +%FT)/g" ${CLAUDE} > .claude/projects/p/resume.jsonl`,
];

/** Rows of the tables of a page that have commands in them, each as its first cell and these. */
function rowsOf(page: string): { title: string; commands: string[] }[] {
  const text = readFileSync(join(projectRoot, page), 'utf8');
  return [...text.matchAll(/^\| (.+?) \| (.*) \|$/gm)].flatMap(([, title = '', rest = '']) => {
    const commands = [...rest.matchAll(/`(sessionctl [^`]+)`/g)].map(([, command = '']) => command);
    return commands.length > 0 ? [{ title, commands }] : [];
  });
}

describe.skipIf(!installed('bash')).each(Object.entries(TABLES))('a row of the table in %s', (page, known) => {
  const rows = rowsOf(page);

  it('is known here by its first cell', () => {
    expect(rows.map(({ title }) => title)).toEqual(Object.keys(known));
  });

  it.each(rows)('has commands that do what it says: $title', ({ title, commands }) => {
    const { log = '', prints = [] } = known[title] ?? {};
    expect(prints).toHaveLength(commands.length);
    const before = [...SETUP, `cp ${log} session.jsonl`, `cp ${log} copy.jsonl`];
    const written = commands.flatMap((command) => [...command.matchAll(/(?:> |-o )(\S+)/g)].map(([, file]) => file));
    const after = ['session.jsonl', ...written].map((file) => `test -s ${file} || exit 2`);
    const text = before.join('\n');
    const ran = runBlock({ line: 1, text, commands: [...before, ...commands, ...after] }, projectRoot);
    expect(ran).not.toMatch(/^# exit [^1]/m);
    commands.forEach((command, at) => {
      const [, rest = ''] = ran.split(`$ ${command}\n`);
      expect(rest.split(`$ ${commands[at + 1] ?? after[0]}\n`)[0], command).toMatch(prints[at] as RegExp);
    });
  });
});

describe('a row of docs/comparison.md', () => {
  const text = readFileSync(join(projectRoot, 'docs/comparison.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (.+?) \(`(.+)`\) \| (.+) \| (.+) \|$/gm)].map(
    ([, has = '', names = '', others = '', ours = '']) => ({ has, files: filesOf(names), others, ours }),
  );

  it('names its files', () => {
    expect(rows).toHaveLength(text.split('\n').filter((line) => line.startsWith('| ')).length - 2);
  });

  it.each(rows)('says what validate reports and what repair fixes: $has', async ({ files, ours }) => {
    const named = rules.map(({ id }) => id).filter((id) => ours.includes(`\`${id}\``));
    const reported = new Set<string>();
    for (const file of files) {
      const ids = rulesIn((await run(['validate', file])).stdout);
      if (named.length > 0) expect(named.some((id) => ids.includes(id))).toBe(true);
      for (const id of ids) reported.add(id);
      if (!ours.includes('`repair`')) continue;
      const { stdoutBytes } = await run(['repair', file]);
      expect(await run(['validate', '-'], { stdin: stdoutBytes })).toMatchObject({ code: 0, stdout: '' });
    }
    expect([...reported]).toEqual(expect.arrayContaining(named));
  });

  const ofJq = rows.filter(({ others }) => others.includes('jq '));

  it.skipIf(jqVersion() !== 'jq-1.6').each(ofJq)('says what jq 1.6 does: $has', async ({ files, others }) => {
    for (const file of files) {
      // A line after all others shows whether jq goes on.
      const stdin = `${readFileSync(join(projectRoot, file), 'utf8')}{"last":true}\n`;
      const { code, stdout } = await spawnCommand('jq', ['-c', '.'], { stdin });
      const written = /jq writes (\d+) and (\d+)/.exec(others);
      if (written) {
        expect(stdout).toContain(`{"page":${written[2]},"number":${written[1]}}`);
        expect((await run(['context', file])).stdout).toContain('{"page":1.0,"number":12345678901234567890}');
      } else {
        expect(others).toMatch(/^jq stops there/);
        const [, line] = /:(\d+): /.exec((await run(['validate', file])).stdout) ?? [];
        expect(stdout.split('\n')).toHaveLength(Number(line));
        expect(code).not.toBe(0);
      }
    }
  });
});

/** `damage/l02`, `l03`, which is in the folder of the one before it: the logs in fixtures that are meant. */
function filesOf(names: string): string[] {
  let folder = '';
  return names.split('`, `').map((name) => {
    if (name.includes('/')) folder = dirname(name);
    const found = ['fixtures', 'fixtures/vectors'].flatMap((root) => {
      const inside = join(root, folder);
      const path = join(inside, basename(name), 'bad.jsonl');
      if (existsSync(join(projectRoot, path))) return [path];
      const start = new RegExp(`^${basename(name)}(?:-[\\w-]+)?\\.jsonl$`);
      const listed = existsSync(join(projectRoot, inside)) ? readdirSync(join(projectRoot, inside)) : [];
      return listed.filter((file) => start.test(file)).map((file) => join(inside, file));
    });
    expect(found, name).toHaveLength(1);
    return found[0] ?? '';
  });
}

function rulesIn(findings: string): string[] {
  return [...findings.matchAll(/^[^:]+:\d+: (?:error|warning): ([\w-]+): /gm)].map(([, id = '']) => id);
}

function jqVersion(): string {
  return installed('jq') ? execFileSync('jq', ['--version'], { encoding: 'utf8' }).trim() : '';
}
