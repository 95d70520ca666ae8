import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import { rules } from '../../src/rules/index.ts';
import { installed } from '../support/installed.ts';
import { run, spawnCommand, spawnProgram } from '../support/run.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder();
mkdirSync(join(folder, 'logs'));
for (const name of ['session.jsonl', 'other.txt', 'two words.jsonl']) writeFileSync(join(folder, name), '');

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(folder, `completion.${shell}`), (await run(['completion', shell])).stdout);
});

describe('completion', () => {
  it('prints a script for each shell, from the built program too', async () => {
    const ran = await spawnProgram(['completion', 'fish']);
    expect(ran).toMatchObject({ code: 0, stderr: '', stdout: (await run(['completion', 'fish'])).stdout });
    expect((await run(['completion', 'zsh'])).stdout).toMatch(/^#compdef sessionctl\n/);
  });

  it('says which shells there are', async () => {
    expect((await run(['completion'])).stderr).toContain('sessionctl: which shell? bash, zsh or fish\n');
    expect((await run(['completion', 'constructor'])).stderr).toContain(
      "no completion for 'constructor'; the shells are bash, zsh and fish",
    );
    expect(await run(['completion', 'bash', 'zsh'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('knows every command, every option and every rule', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const script = (await run(['completion', shell])).stdout;
      for (const entry of commands) {
        expect(script).toContain(entry.name);
        for (const option of (await entry.load()).options)
          expect(script).toContain(shell === 'fish' ? `-l ${option.name}` : `--${option.name}`);
      }
      for (const rule of rules) expect(script).toContain(rule.id);
    }
  });
});

describe.skipIf(!installed('bash'))('completion in bash', () => {
  /** What bash would offer for a line with the cursor at its end; words broken as readline breaks them. */
  async function offered(line: string, breaks = ' \t\n"\'><=;|&(:'): Promise<string[]> {
    const words = breaks.includes('=') ? line.split(/[ ]+|(?<==)|(?==)/) : line.split(/ +/);
    const script = `
      source ./completion.bash
      COMP_LINE=${quote(line)} COMP_POINT=${line.length} COMP_WORDBREAKS=${quote(breaks)}
      COMP_WORDS=(${words.map(quote).join(' ')}) COMP_CWORD=${words.length - 1}
      _sessionctl 2>errors
      cat errors >&2
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const ran = await spawnCommand('bash', ['--norc', '--noprofile', '-c', script], { cwd: folder });
    expect(ran.stderr.replace(/.*compopt.*\n/g, '')).toBe('');
    return ran.stdout.split('\n').filter((word) => word !== '');
  }

  function quote(text: string): string {
    return `'${text.replaceAll("'", "'\\''")}'`;
  }

  it('offers commands', async () => {
    expect(await offered('sessionctl vali')).toEqual(['validate']);
    expect(await offered('sessionctl ')).toEqual([...commands.map((one) => one.name), 'help']);
    expect(await offered('sessionctl help compl')).toEqual(['completion']);
    expect(await offered('sessionctl --ver')).toEqual(['--version']);
  });

  it('offers options and their values', async () => {
    expect(await offered('sessionctl validate --form')).toEqual(['--format']);
    expect(await offered('sessionctl validate --format j')).toEqual(['json', 'junit', 'junit-ant']);
    expect(await offered('sessionctl validate --format=j')).toEqual(['json', 'junit', 'junit-ant']);
    expect(await offered('sessionctl validate --format=j', ' \t\n')).toEqual([
      '--format=json',
      '--format=junit',
      '--format=junit-ant',
    ]);
    expect(await offered('sessionctl validate --max-findings ')).toEqual([]);
  });

  it('offers rules, and levels for a rule', async () => {
    expect(await offered('sessionctl validate --explain dangling-p')).toEqual(['dangling-parent']);
    expect(await offered('sessionctl validate --rule dangling-p')).toEqual(['dangling-parent=']);
    expect(await offered('sessionctl validate --rule dangling-parent=w')).toEqual(['warning']);
    expect(await offered('sessionctl validate --rule dangling-parent=w', ' \t\n')).toEqual(['dangling-parent=warning']);
    expect(await offered('sessionctl validate --rule=dangling-parent=w', ' \t\n')).toEqual([
      '--rule=dangling-parent=warning',
    ]);
  });

  it('offers session logs and folders, and words that belong to a command', async () => {
    expect((await offered('sessionctl validate ')).sort()).toEqual(['logs', 'session.jsonl', 'two words.jsonl']);
    expect(await offered('sessionctl validate --blobs lo')).toEqual(['logs']);
    expect(await offered('sessionctl validate --blobs=lo')).toEqual(['logs']);
    expect(await offered('sessionctl validate -- --form')).toEqual([]);
    expect(await offered('sessionctl completion z')).toEqual(['zsh']);
  });

  it('never evaluates what was typed', async () => {
    await offered('sessionctl validate --rule $(touch\towned)=');
    await offered('sessionctl validate --rule=`touch owned`=w');
    await offered('sessionctl $(touch owned) ');
    expect((await spawnCommand('ls', ['-a'], { cwd: folder })).stdout).not.toContain('owned');
  });
});

describe.skipIf(!installed('zsh'))('completion in zsh', () => {
  /** The lines as they stand after the tab key, typed into an interactive zsh. */
  async function completed(...lines: string[]): Promise<string[]> {
    const script = `
      zmodload zsh/zpty
      zpty inner zsh -f -i
      tell() { zpty -w inner "$1" }
      tell 'PS1= PROMPT_EOL_MARK= ; unsetopt beep; autoload -Uz compinit; compinit -u -d ./zdump; source ./completion.zsh'
      tell 'show() { print -r -- "<<$BUFFER>>"; BUFFER=; zle .accept-line }; zle -N show; bindkey "^B" show; bindkey "^I" complete-word; print READY'
      zpty -r inner out '*READY*READY*'
      for line in "$@"; do
        zpty -w -n inner "$line"$'\\t\\x02'
        zpty -r inner out '*<<*>>*'
        print -r -- "\${\${out##*<<}%%>>*}"
      done
      zpty -d inner`;
    const ran = await spawnCommand('zsh', ['-f', '-c', script, 'zsh', ...lines], { cwd: folder });
    expect(ran.stderr).toBe('');
    return ran.stdout.split('\n').slice(0, -1);
  }

  it('completes commands, options, values, rules, levels and session logs', async () => {
    const pairs: readonly (readonly [string, string])[] = [
      ['sessionctl vali', 'sessionctl validate '],
      ['sessionctl validate --form', 'sessionctl validate --format='],
      ['sessionctl validate --format js', 'sessionctl validate --format json '],
      ['sessionctl validate --format=sa', 'sessionctl validate --format=sarif '],
      ['sessionctl validate --explain dangling-p', 'sessionctl validate --explain dangling-parent '],
      ['sessionctl validate --rule dangling-p', 'sessionctl validate --rule dangling-parent='],
      ['sessionctl validate --rule dangling-parent=w', 'sessionctl validate --rule dangling-parent=warning '],
      ['sessionctl validate sess', 'sessionctl validate session.jsonl '],
      ['sessionctl validate two', 'sessionctl validate two\\ words.jsonl '],
      ['sessionctl validate --blobs lo', 'sessionctl validate --blobs logs/'],
      ['sessionctl completion z', 'sessionctl completion zsh '],
      ['sessionctl help compl', 'sessionctl help completion '],
    ];
    expect(await completed(...pairs.map(([typed]) => typed))).toEqual(pairs.map(([, after]) => after));
  });
});

describe.skipIf(!installed('fish'))('completion in fish', () => {
  async function offered(line: string): Promise<string[]> {
    const script = `source ./completion.fish; complete -C ${JSON.stringify(line)}`;
    const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder };
    const ran = await spawnCommand('fish', ['--no-config', '-c', script], { cwd: folder, env });
    expect(ran.stderr).toBe('');
    return ran.stdout
      .split('\n')
      .filter((word) => word !== '')
      .map((word) => word.split('\t')[0] ?? '');
  }

  it('offers commands, options, values, rules, levels and session logs', async () => {
    expect(await offered('sessionctl vali')).toEqual(['validate']);
    expect(await offered('sessionctl help compl')).toEqual(['completion']);
    expect(await offered('sessionctl validate --form')).toEqual(['--format']);
    expect(await offered('sessionctl validate --format j')).toEqual(['json', 'junit', 'junit-ant']);
    expect(await offered('sessionctl validate --explain dangling-p')).toEqual(['dangling-parent']);
    expect(await offered('sessionctl validate --rule dangling-parent=w')).toEqual(['dangling-parent=warning']);
    expect(await offered('sessionctl validate sess')).toEqual(['session.jsonl']);
    expect(await offered('sessionctl validate --blobs lo')).toEqual(['logs/']);
    expect(await offered('sessionctl completion z')).toEqual(['zsh']);
  });

  it('tells what a command and a rule are about', async () => {
    const ran = await spawnCommand(
      'fish',
      ['--no-config', '-c', 'source ./completion.fish; complete -C "sessionctl validate --explain torn-l"'],
      {
        cwd: folder,
        env: { HOME: folder },
      },
    );
    expect(ran.stdout).toMatch(/^torn-line\t\S.*\n$/);
  });
});
