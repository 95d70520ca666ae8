import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { commandHelp, commandLines, programHelp, shortHelp } from '../../src/cli/help.ts';
import { flag } from '../../src/shared/command.ts';
import { PLAIN } from '../../src/util/io.ts';
import width from '../../src/util/width.ts';
import { run } from '../support/run.ts';

describe('the program without a command', () => {
  it('prints its version and nothing else', async () => {
    for (const spelling of ['--version', '-V', '-v', 'version']) {
      expect(await run([spelling])).toMatchObject({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
    }
  });

  it('shows its help on stdout where it was asked for', async () => {
    for (const argv of [['--help'], ['-h'], ['help'], ['help', '--help'], ['help', 'help'], ['help', 'version']]) {
      const ran = await run(argv);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout).toContain('Usage: sessionctl COMMAND');
    }
  });

  it('shows first steps and exit codes by --help and help, and the commands alone by -h', async () => {
    const [long, short] = [(await run(['--help'])).stdout, (await run(['-h'])).stdout];
    expect((await run(['help'])).stdout).toBe(long);
    for (const part of ['Examples:', 'Exit codes:']) {
      expect(long).toContain(part);
      expect(short).not.toContain(part);
    }
    expect(short.split('\n').length).toBeLessThan(40);
    const [shortOne, longOne] = [(await run(['repair', '-h'])).stdout, (await run(['repair', '--help'])).stdout];
    expect(shortOne.length).toBeLessThan(longOne.length / 2);
  });

  it('shows its help on stderr and exits 2 where it was not', async () => {
    const ran = await run([]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('Usage: sessionctl COMMAND');
  });

  it('fits its help into a narrow terminal, where words are not cut', async () => {
    const commands = [['help'], ['-h'], ['validate', '-h'], ['status', '--help'], ['convert', '--help']];
    for (const columns of [40, 60])
      for (const argv of commands) {
        const { stdout } = await run(argv, { stdoutIsTerminal: true, columns, env: { NO_COLOR: '1' } });
        const lines = stdout.split('\n');
        for (const [at, line] of lines.entries()) {
          // A command that is to be copied goes on at an option or in a pipe alone.
          const isCommand = line.startsWith('  sessionctl ') || lines[at - 1]?.endsWith('\\');
          if (!isCommand) expect(width(line), line).toBeLessThanOrEqual(columns);
        }
        const wide = await run(argv, { stdoutIsTerminal: true, columns: 200, env: { NO_COLOR: '1' } });
        const words = (text: string): string[] => text.split(/[\s\\]+/);
        expect(words(stdout)).toEqual(words(wide.stdout));
        expect(wide.stdout).toBe((await run(argv)).stdout);
      }
  });

  it('fits its help into 80 columns', () => {
    for (const line of `${programHelp(PLAIN)}\n${programHelp(PLAIN, true)}`.split('\n'))
      expect(width(line), line).toBeLessThanOrEqual(80);
  });
});

describe('a text of the help', () => {
  const command = {
    ...{
      name: 'one',
      summary: 'Do it',
      operands: '',
      run: async () => 0,
      examples: { 'a b': 'it' },
    },
    ...{ description: [`${'word '.repeat(15)}\`abcd d\` e`, '- x', `- ${'item '.repeat(20)}`.trim()], memory: 'none.' },
    ...{ options: [flag('deep', 'Go deep; as `far` as it goes')], topics: ['rev'] as const },
  };

  it('shows what is between backticks in bold, whichever line it is on, and items with a hanging indent', () => {
    const help = commandHelp(command, { ...PLAIN, bold: (text) => `<${text}>` });
    expect(help).toContain(`${'word '.repeat(15)}<abcd>\n<d> e\n\n- x\n- item `);
    expect(help).toMatch(/^- (?:item ){14}item\n {2}(?:item ?){5}\n\n<Options:>/m);
    expect(help).toContain('as <far> as it goes');
    expect(help).toContain('\n<REV:>\n  REV names an entry');
    expect(help).toContain('\n<Memory:>\n  None.\n');
  });

  it('is cut by -h at the first semicolon of an option', () => {
    expect(shortHelp(command, PLAIN)).toMatch(/^ {2}--deep +Go deep$/m);
  });
});

describe('an example in the help', () => {
  it('is one line where it fits, and goes on behind a backslash where it does not, but never inside quotes', () => {
    expect(commandLines('sessionctl log x | head')).toEqual(['  sessionctl log x | head']);
    const quoted = `'${'a b '.repeat(14)}'`;
    expect(commandLines(`echo ${quoted} | sessionctl append session.jsonl`)).toEqual([
      `  echo ${quoted} | \\`,
      '      sessionctl append session.jsonl',
    ]);
    expect(commandLines(`sessionctl fork session.jsonl ${'x'.repeat(40)} --id s1 -o other.jsonl`)).toEqual([
      `  sessionctl fork session.jsonl ${'x'.repeat(40)} \\`,
      '      --id s1 -o other.jsonl',
    ]);
  });
});

describe('what other programs call it', () => {
  it('works, or leads to what is meant', async () => {
    const file = 'fixtures/readme/crashed.jsonl';
    expect(await run(['check', file])).toEqual(await run(['validate', file]));
    expect((await run(['show', file])).stderr).toContain(
      "unknown command 'show'; 'log' lists the entries of a session",
    );
    expect((await run(['fix', file])).stderr).toContain("unknown command 'fix'; did you mean 'repair'?");
    expect((await run(['constructor', file])).stderr).toContain("unknown command 'constructor'\n");
    expect((await run(['search', 'x', file])).stderr).toContain("unknown command 'search'; did you mean 'grep'?");
    expect((await run(['--fix', file])).stderr).toContain("a command such as 'validate' or 'repair' comes first");
    expect((await run(['validate', '--fix', file])).stderr).toContain(
      "unknown option '--fix'; 'sessionctl repair -i FILE' fixes what can be fixed\n",
    );
  });
});

describe('a wrong call', () => {
  it('asks whether another command was meant', async () => {
    expect(await run(['valdiate', 'x.jsonl'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        "sessionctl: unknown command 'valdiate'; did you mean 'validate'?\n'sessionctl --help' shows how to use it\n",
    });
  });

  it('says that a command comes first where a file or an option is in its place', async () => {
    expect((await run(['./a.jsonl'])).stderr).toContain(
      "sessionctl: a command such as 'validate' comes before the file './a.jsonl'\n",
    );
    expect((await run(['--strict', 'validate'])).stderr).toContain(
      "unknown option '--strict'; a command such as 'validate' or 'repair' comes first",
    );
    expect((await run(['zzzzzzzz'])).stderr).toContain("sessionctl: unknown command 'zzzzzzzz'\n");
    expect(await run(['help', 'zzzzzzzz'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('names the unknown option and the command whose help tells more', async () => {
    expect(await run(['validate', '--nonsense'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: "sessionctl: unknown option '--nonsense'\n'sessionctl validate --help' shows how to use it\n",
    });
  });

  it('never brings control characters of its words to the terminal', async () => {
    const ran = await run(['validate', '--\u001b[31m\u202e', '\u0007'], {
      stdoutIsTerminal: true,
      env: { NO_COLOR: '1' },
    });
    expect(ran.stderr).toContain("unknown option '--\\x1b[31m\\u202e'");
    expect((await run(['a\nb\u001b'])).stderr).toContain("unknown command 'a\\nb\\x1b'");
  });
});

describe('a terminal that does not know its width', () => {
  it('has 80 columns, not 0', async () => {
    const argv = ['log', 'fixtures/sessions/pi-branches.jsonl'];
    const wide = await run(argv, { stdoutIsTerminal: true, columns: 80 });
    expect(wide.stdout).toContain('\u2026\n');
    expect((await run(argv, { stdoutIsTerminal: true, columns: 0 })).stdout).toBe(wide.stdout);
  });
});

describe('a terminal as standard input', () => {
  it('gets a short help on stderr instead of a program that waits for ever', async () => {
    const ran = await run(['validate'], { stdinIsTerminal: true });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(
      /^sessionctl: validate: no FILE given and standard input is a terminal\nusage: sessionctl validate /,
    );
    expect(ran.stderr.split('\n').length).toBeLessThan(6);
  });

  it('is read where the user names it', async () => {
    const ran = await run(['validate', '-'], {
      stdinIsTerminal: true,
      stdin: '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n',
    });
    expect(ran.code).toBe(0);
  });

  it('does not stand in the way of --help', async () => {
    expect(await run(['validate', '--help'], { stdinIsTerminal: true })).toMatchObject({ code: 0, stderr: '' });
  });
});
