import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandText, readCommand } from '../../../src/projection/status/bash-hint.ts';
import { parseShell } from '../../../src/projection/status/shell.ts';
import { settings } from '../../support/properties.ts';

function words(text: string): string[][] {
  return parseShell(text).commands.map((command) => command.words.map((word) => word.text));
}

describe('the shell parser', () => {
  it.each([
    ['ls -la', [['ls', '-la']]],
    ['echo \'a b\' "c d" e\\ f', [['echo', 'a b', 'c d', 'e f']]],
    ['a|b||c&&d;e', [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['cat a.txt # the rest', [['cat', 'a.txt']]],
    ['echo a#b', [['echo', 'a#b']]],
    ['one \\\n two', [['one', 'two']]],
    ['a\nb\r\nc', [['a'], ['b'], ['c']]],
    ["cat <<'EOF'\nrm -rf /\nEOF\nls", [['cat'], ['ls']]],
    ['cat <<-X\n\trm\n\tX\nls', [['cat'], ['ls']]],
    ['A=1 B="x y" make test', [['make', 'test']]],
    ["echo $'a\\'b' c", [['echo', "a\\'b", 'c']]],
    [
      'for f in *; do rm "$f"; done',
      [
        ['for', 'f', 'in', '*'],
        ['rm', '$f'],
      ],
    ],
    [
      'echo "$(rm x)"',
      [
        ['rm', 'x'],
        ['echo', '$(rm x)'],
      ],
    ],
    ['echo `date`', [['date'], ['echo', '`date`']]],
    ['echo `date`;rm x', [['date'], ['echo', '`date`'], ['rm', 'x']]],
    [
      'diff <(ls a) <(ls b)',
      [
        ['ls', 'a'],
        ['ls', 'b'],
        ['diff', '<(ls a)', '<(ls b)'],
      ],
    ],
    ['(cd a; ls)', [['cd', 'a'], ['ls']]],
    [`echo \${x:-"a b"} y`, [['echo', `\${x:-"a b"}`, 'y']]],
    [`echo \${x} \${x:-'a}b'} \${x:-\\}} y`, [['echo', `\${x}`, `\${x:-'a}b'}`, `\${x:-\\}}`, 'y']]],
  ])('reads %j as its simple commands', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it.each(["echo 'open", "echo $'open", 'ls \u00a0-l', 'echo "open', 'echo $(ls', 'echo `ls', 'cat <<X\nno end', 'echo ${x'])(
    'says that it does not understand %j',
    (text) => {
      expect(parseShell(text).understood).toBe(false);
    },
  );

  it('sees redirections in all their spellings', () => {
    for (const text of ['a > b', 'a >> b', 'a < b', 'a 2>&1', 'a &> b', 'a >| b', 'a <<< b', '> b']) {
      expect(parseShell(text).redirection, text).toBe(true);
    }
    expect(parseShell("a '>' b").redirection).toBe(false);
    expect(words('a 2>&1 b')).toEqual([['a', 'b']]);
  });

  it('ends for any text at all, in time that grows with it', () => {
    const hostile = fc
      .array(fc.constantFrom('$(', '`', '"', "'", '${', '<(', ')', '}', '<<X\n', '\\', '&', ';', 'rm', ' ', '\n', '{', '('))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(hostile, (text) => {
        const script = parseShell(text);
        expect(script.commands.length).toBeLessThanOrEqual(text.length);
      }),
      settings(500),
    );
    for (const piece of ['$(', '"$(', '${', '`', '<<X ', "$'"]) parseShell(piece.repeat(30_000));
  });
});

describe('the hint for a shell command', () => {
  it.each([
    'cat a.txt',
    'ls -la | head -3',
    'cd src && rg -n "total" .',
    'git status && git log --oneline -3',
    'git -C sub --no-pager diff HEAD~1',
    "find . -name '*.ts' | wc -l",
    "grep -r 'rm -rf' .",
  ])('calls %j likely read-only', (text) => {
    expect(readCommand(text).hint).toBe('likely read-only');
  });

  it.each([
    'npm test',
    'npm run build -- --verbose',
    'pnpm lint',
    'npx vitest run a.test.ts 2>&1 | tail -20',
    'cargo test',
    'go vet ./...',
    'make check',
    'CI=1 pytest -q',
    'python3 -m pytest',
  ])('calls %j rerunnable', (text) => {
    expect(readCommand(text).hint).toBe('rerunnable, record as new verification');
  });

  it.each([
    'rm -rf build',
    'ls; rm x',
    'git push origin main',
    'git -C sub reset --hard',
    'git clean -fd',
    'curl -X POST https://example.org',
    'curl -sd @body https://example.org',
    'npm publish',
    'docker ps',
    'kubectl get pods',
    'terraform plan',
    'dd if=a of=b',
    'ssh host ls',
    'psql -c "select 1"',
    'mv a b',
    'find . -name x -delete',
    'find . -exec rm {} \\;',
    'ls | xargs rm',
    'sudo rm x',
    'timeout 5 rm x',
    "bash -c 'rm x'",
    'echo $(rm x)',
    'for f in *; do rm "$f"; done',
    '/bin/rm x',
    'npm test && git push',
  ])('calls %j destructive or external', (text) => {
    expect(readCommand(text).hint).toBe('destructive or external');
  });

  it.each([
    'cat a > b',
    'cat $(which x)',
    'ls `pwd`',
    'cat a | frobnicate',
    'node script.js',
    'find . -exec ./x {} +',
    'git diff --output=x',
    'git -c core.pager=./x log',
    'rg --pre ./x y',
    'GIT_EXTERNAL_DIFF=./x git diff',
    'if true; then ls; fi',
    "cat 'open",
    '$CMD a',
    'cat a &',
    'eslint --fix src',
    'npm run dev',
    'npm install',
    '',
  ])('says nothing about %j', (text) => {
    expect(readCommand(text).hint).toBeUndefined();
  });

  it('sees a process that is left in the background, and not one that is waited for', () => {
    expect(readCommand('npm run dev &').leavesProcess).toBe(true);
    expect(readCommand('server & sleep 1; curl localhost').leavesProcess).toBe(true);
    expect(readCommand('a & b & wait').leavesProcess).toBe(false);
    expect(readCommand("echo 'a &'").leavesProcess).toBe(false);
    expect(readCommand('a && b 2>&1').leavesProcess).toBe(false);
    expect(readCommand('a &> log').leavesProcess).toBe(false);
  });

  it('finds the command in the arguments of different agents', () => {
    expect(commandText({ command: 'ls' })).toBe('ls');
    expect(commandText({ cmd: 'ls' })).toBe('ls');
    expect(commandText({ command: ['bash', '-lc', 'ls | wc'] })).toBe('ls | wc');
    expect(readCommand(commandText({ command: ['rm', "it's"] }) ?? '').hint).toBe('destructive or external');
    expect(commandText({ action: { command: ['ls', '-l'] } })).toBe("'ls' '-l'");
    expect(commandText('ls')).toBeUndefined();
    expect(commandText({ command: [1] })).toBeUndefined();
  });
});
