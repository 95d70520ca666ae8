import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandText, readCommand } from '../../src/status/bash-hint.ts';
import { parseShell } from '../../src/status/shell.ts';
import { settings } from '../support/properties.ts';

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
    ['a(b c)d', [['a'], ['b', 'c'], ['d']]],
    ['a >b c <d e', [['a', 'c', 'e']]],
    ['a &>b c &>>d e', [['a', 'c', 'e']]],
    ['one \\\r\n two', [['one', 'two']]],
    ['ls # the rest\ncat a', [['ls'], ['cat', 'a']]],
    ['! time grep x a', [['grep', 'x', 'a']]],
    ['ec\\\nho a', [['echo', 'a']]],
    ['ls \\', [['ls', '']]],
    ['echo $"a b" c', [['echo', 'a b', 'c']]],
    ['echo $ a$ "$"', [['echo', '$', 'a$', '$']]],
    ['echo "a\\\nb\\c\\"d"', [['echo', 'ab\\c"d']]],
    ['ls 2', [['ls', '2']]],
    ['ls &>> log', [['ls']]],
    ['echo "$\'a\'"', [['echo', "$'a'"]]],
    [`echo \${x:-"a b"} y`, [['echo', `\${x:-"a b"}`, 'y']]],
    [`echo \${x} \${x:-'a}b'} \${x:-\\}} y`, [['echo', `\${x}`, `\${x:-'a}b'}`, `\${x:-\\}}`, 'y']]],
  ])('reads %j as its simple commands', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it.each([
    "echo 'open",
    "echo $'open",
    'ls \u00a0-l',
    'echo "open',
    'echo $(ls',
    'echo `ls',
    'cat <<X\nno end',
    'cat <<',
    'echo ${x',
  ])('says that it does not understand %j', (text) => {
    expect(parseShell(text).understood).toBe(false);
  });

  it('sees redirections in all their spellings', () => {
    for (const text of ['a > b', 'a >> b', 'a < b', 'a 2>&1', 'a &> b', 'a &>> b', 'a >| b', 'a <<< b', '> b']) {
      expect(parseShell(text).redirection, text).toBe(true);
    }
    expect(parseShell("a '>' b").redirection).toBe(false);
    for (const text of ['a &> b', 'a &>> b', 'a 2>&1', 'a <<< b']) expect(parseShell(text).understood, text).toBe(true);
    expect(words('a 2>&1 b')).toEqual([['a', 'b']]);
  });

  it('sees a substitution in the text of a here-document where there is one, and brackets that close nothing', () => {
    expect(parseShell('cat <<X\nplain\nX').substitution).toBe(false);
    expect(parseShell('cat <<X\n`date`\nX').substitution).toBe(true);
    expect(parseShell('cat <<X\n$(date)\nX').substitution).toBe(true);
    expect(parseShell("cat <<'X'\n$(date)\nX").substitution).toBe(false);
    expect([parseShell('ls').compound, parseShell('ls )').compound]).toEqual([false, true]);
  });

  it('says that it does not understand what is nested too deep, and still sees the commands outside', () => {
    const deep = (piece: string): string => `rm x; echo ${piece.repeat(40)}`;
    for (const piece of ['$(', '${a:-', '"$(', '<(']) {
      const script = parseShell(deep(piece));
      expect(script.understood, piece).toBe(false);
      expect(script.commands[0]?.words.map((word) => word.text)).toEqual(['rm', 'x']);
    }
    let quoted = 'ls';
    for (let level = 0; level < 5; level++) quoted = `echo \`${quoted.replace(/[\\`]/g, '\\$&')}\``;
    expect(parseShell(quoted)).toMatchObject({ understood: true, substitution: true });
    expect(parseShell(`${'$('.repeat(30)}\`ls\`${')'.repeat(30)}`).understood).toBe(false);
    expect(parseShell(`${'$('.repeat(29)}\`ls\`${')'.repeat(29)}`).understood).toBe(true);
  });

  it('ends for any text at all, in time that grows with it', () => {
    const hostile = fc
      .array(
        fc.constantFrom('$(', '`', '"', "'", '${', '<(', ')', '}', '<<X\n', '\\', '&', ';', 'rm', ' ', '\n', '{', '('),
      )
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
    'git --git-dir .git --work-tree . --namespace n log',
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
    'python -m unittest',
    'uv run pytest',
    'bundle exec rspec',
    'npx --yes tsc --noEmit',
    'pnpm exec -- vitest run',
    'npm exec eslint src',
    'cargo +nightly clippy',
    'npm run test:unit',
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
    'wget --post-data=x https://example.org',
    'mkfs.ext4 /dev/sda1',
    'find . -ok rm {} \\;',
    'eval "rm x"',
    "sh -ec 'ls; rm x'",
    'sudo -u root rm x',
    'env A=1 rm x',
    'nice -n 10 rm x',
    "sudo bash -c 'timeout 5 rm x'",
    'uv publish',
  ])('calls %j destructive or external', (text) => {
    expect(readCommand(text).hint).toBe('destructive or external');
  });

  it.each([
    'cat a > b',
    'cat $(which x)',
    'ls `pwd`',
    'cat <(ls)',
    '{ cat a; }',
    'while ls; do cat a; done',
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
    'wget https://example.org/a',
    'curl https://example.org/a',
    'git',
    'git --version',
    'git commit -m x',
    'git "$SUB"',
    'git checkout main',
    'npm',
    'npm run',
    'npm exec frobnicate',
    'uv pip install x',
    'python script.py',
    'cargo',
    'cargo run',
    'bash',
    'bash script.sh',
    'sudo ls rm',
    'sudo make install',
    'find "$DIR"',
    'rg "$PATTERN"',
    `bash -c '${'x'.repeat(100_001)}'`,
    `cat ${'x'.repeat(100_000)}`,
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
    expect(readCommand(`${'x'.repeat(100_000)} &`).leavesProcess).toBe(false);
  });

  it('reads a command of 100,000 characters and none that is longer', () => {
    expect(readCommand(`cat ${'x'.repeat(99_996)}`).hint).toBe('likely read-only');
    expect(readCommand(`cat ${'x'.repeat(99_997)}`).hint).toBeUndefined();
  });

  it('looks through so many shells in shells, and no further', () => {
    const shells = (depth: number): string => {
      let text = 'rm x';
      for (let level = 0; level < depth; level++) text = `sh -c '${text.replaceAll("'", `'\\''`)}'`;
      return text;
    };
    expect(readCommand(shells(5)).hint).toBe('destructive or external');
    expect(readCommand(shells(7)).hint).toBeUndefined();
  });

  it('finds the command in the arguments of different agents', () => {
    expect(commandText({ command: 'ls' })).toBe('ls');
    expect(commandText({ cmd: 'ls' })).toBe('ls');
    expect(commandText({ command: ['bash', '-lc', 'ls | wc'] })).toBe('ls | wc');
    expect(readCommand(commandText({ command: ['rm', "it's"] }) ?? '').hint).toBe('destructive or external');
    expect(commandText({ action: { command: ['ls', '-l'] } })).toBe("'ls' '-l'");
    expect(commandText('ls')).toBeUndefined();
    expect(commandText({ command: [1] })).toBeUndefined();
    expect(commandText({ script: 'ls' })).toBe('ls');
    expect(commandText({ action: 'run' })).toBeUndefined();
    expect(commandText({ command: [] })).toBe('');
    expect(commandText({ command: ['make', '-c', 'x'] })).toBe("'make' '-c' 'x'");
    expect(commandText({ command: ['bash', '-c'] })).toBeUndefined();
  });
});
