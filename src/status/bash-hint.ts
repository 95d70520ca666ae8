import { isObject } from '../json/value.ts';
import { shellQuoted } from '../util/words.ts';
import { parseShell, type Script, type SimpleCommand } from './shell.ts';

/**
 * What a shell command looks like it would do. A hint for the person who decides, never a reason to lower a verdict:
 * aliases, functions and PATH are not in the log.
 */
export type BashHint = 'likely read-only' | 'rerunnable, record as new verification' | 'destructive or external';

export interface CommandReading {
  readonly hint?: BashHint;
  /** A process was sent to the background and not waited for. */
  readonly leavesProcess: boolean;
}

const MAX_COMMAND_CHARS = 100_000;

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

const READERS = words('cat ls rg grep head tail wc pwd cd echo');
const GIT_READERS = words('status diff log show');
const FIND_WRITES = /^-(?:delete|exec|execdir|ok|okdir|fls|fprint.*)$/;

const DESTRUCTIVE = words(`
  rm rmdir unlink shred mv dd mkfs truncate ssh scp sftp rsync psql mysql mongosh redis-cli
  docker podman kubectl helm terraform tofu pulumi aws gcloud az gh glab systemctl crontab
  kill pkill killall shutdown reboot
`);
const GIT_DESTRUCTIVE = words('push reset clean');
const CURL_SENDS = /^(?:-[a-zA-Z]*[XdFT].*|--request.*|--data.*|--form.*|--upload-file.*|--json.*|--url-query.*)$/;
const WGET_SENDS = /^--(?:post|method|body)/;
const PUBLISHERS = words('npm pnpm yarn bun cargo poetry twine uv gem');
const PUBLISHING = words('publish unpublish deprecate upload yank');

const RUNNERS = words(`
  vitest jest mocha ava pytest tox nox mypy pyright tsc ctest phpunit rspec eslint ruff
  make ninja bazel gradle ./gradlew mvn ./mvnw esbuild vite biome prettier flake8 shellcheck
`);
const RUNNER_WRITES = words('--fix --write install clean deploy publish release dev serve uninstall');
const SCRIPT_RUNNERS = words('npm pnpm yarn bun');
const CHECKING_SCRIPT = /^(?:test|tests|build|lint|typecheck|type-check|check|coverage|bench)(?:[:-].*)?$/;
const SUBCOMMAND_RUNNERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['go', words('test build vet')],
  ['cargo', words('test build check clippy bench nextest')],
  ['dotnet', words('test build')],
  ['swift', words('test build')],
  ['zig', words('build test')],
  ['deno', words('test check lint')],
  ['mix', words('test compile')],
]);

/** Programs that start what their arguments name. */
const WRAPPERS = words('sudo doas env nohup timeout nice ionice stdbuf setsid xargs command exec builtin');
/** By program, the argument that makes it one. */
const LAUNCHERS: ReadonlyMap<string, string> = new Map([
  ...['npx', 'bunx', 'uvx'].map((program) => [program, ''] as const),
  ...['uv', 'poetry', 'pipenv'].map((program) => [program, 'run'] as const),
  ['bundle', 'exec'],
]);
const SHELLS = words('sh bash zsh dash ksh');

/** The shell text in a tool's arguments, in the spellings that agents use. */
export function commandText(args: unknown): string | undefined {
  if (!isObject(args)) return undefined;
  const action = args['action'];
  const command =
    args['command'] ?? args['cmd'] ?? args['script'] ?? (isObject(action) ? action['command'] : undefined);
  if (typeof command === 'string') return command;
  if (!Array.isArray(command) || !command.every((part): part is string => typeof part === 'string')) return undefined;
  const shell = command.findIndex((part, index) => index > 0 && /^-[a-z]*c$/.test(part));
  if (shell > 0 && SHELLS.has(command[0] ?? '')) return command[shell + 1];
  return command.map(shellQuoted).join(' ');
}

export function readCommand(text: string): CommandReading {
  if (text.length > MAX_COMMAND_CHARS) return { leavesProcess: false };
  const script = parseShell(text);
  const hint = hintOf(script, 0);
  return { ...(hint ? { hint } : {}), leavesProcess: leavesProcess(script) };
}

function leavesProcess(script: Script): boolean {
  const last = script.commands.findLastIndex((command) => command.background);
  return last >= 0 && !script.commands.slice(last + 1).some((command) => command.words[0]?.text === 'wait');
}

function hintOf(script: Script, depth: number): BashHint | undefined {
  if (script.commands.some((command) => isDestructive(literalsOf(command), depth))) return 'destructive or external';
  if (!script.understood || script.compound || script.substitution || script.commands.length === 0) return undefined;
  const kinds = script.commands.map(kindOf);
  if (!script.redirection && kinds.every((kind) => kind === 'read')) return 'likely read-only';
  if (kinds.includes('run') && kinds.every((kind) => kind !== undefined))
    return 'rerunnable, record as new verification';
  return undefined;
}

/** A word that is not literal says nothing about what it will be. */
function literalsOf(command: SimpleCommand): string[] {
  return command.words.map((word) => (word.literal ? word.text : ''));
}

function kindOf(command: SimpleCommand): 'read' | 'run' | undefined {
  if (command.background) return undefined;
  const line = literalsOf(command);
  if (isRunner(line)) return 'run';
  return command.assignments === 0 && isReader(line) ? 'read' : undefined;
}

function isReader(line: readonly string[]): boolean {
  const [program = '', ...rest] = line;
  if (program === 'find') return !rest.some((word) => word === '' || FIND_WRITES.test(word));
  if (program === 'rg')
    return !rest.some((word) => word === '' || word.startsWith('--pre') || word.startsWith('--hostname-bin'));
  if (program === 'git') {
    // `-c` and the external helpers can make git start anything.
    const { subcommand, options } = gitCall(rest);
    if (subcommand === undefined || !GIT_READERS.has(subcommand)) return false;
    return !options.some(
      (word) => word === '' || /^(?:-c|--config-env.*|--exec-path.*|--output.*|--ext-diff|--textconv)$/.test(word),
    );
  }
  return READERS.has(program);
}

function gitCall(rest: readonly string[]): { subcommand: string | undefined; options: readonly string[] } {
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] as string;
    if (word === '-C' || word === '-c' || word === '--git-dir' || word === '--work-tree' || word === '--namespace')
      at++;
    else if (!word.startsWith('-'))
      return { subcommand: word === '' ? undefined : word, options: rest.filter((_, index) => index !== at) };
  }
  return { subcommand: undefined, options: rest };
}

function isRunner(line: readonly string[]): boolean {
  const [program = '', ...rest] = line;
  if (rest.some((word) => RUNNER_WRITES.has(word))) return false;
  const launched = LAUNCHERS.get(program);
  if (launched === '') return isRunner(rest.filter((word) => !/^--?(?:yes|no-install|y)$/.test(word)));
  if (launched !== undefined && rest[0] === launched) return isRunner(rest.slice(1));
  if (SCRIPT_RUNNERS.has(program)) {
    const named = rest.filter((word) => !word.startsWith('-'));
    if (named[0] === 'run') return CHECKING_SCRIPT.test(named[1] ?? '');
    if (named[0] === 'exec') return isRunner(rest.slice(rest.indexOf('exec') + 1).filter((word) => word !== '--'));
    return CHECKING_SCRIPT.test(named[0] ?? '');
  }
  if (program === 'python' || program === 'python3')
    return rest[0] === '-m' && (rest[1] === 'unittest' || isRunner(rest.slice(1)));
  const subcommands = SUBCOMMAND_RUNNERS.get(program);
  if (subcommands) return subcommands.has(rest.find((word) => !word.startsWith('-') && !word.startsWith('+')) ?? '');
  return RUNNERS.has(program);
}

function isDestructive(line: readonly string[], depth: number): boolean {
  const [whole = '', ...rest] = line;
  const program = whole.slice(whole.lastIndexOf('/') + 1);
  if (DESTRUCTIVE.has(program) || program.startsWith('mkfs.')) return true;
  if (program === 'git') return GIT_DESTRUCTIVE.has(gitCall(rest).subcommand ?? '');
  if (program === 'curl') return rest.some((word) => CURL_SENDS.test(word));
  if (program === 'wget') return rest.some((word) => WGET_SENDS.test(word));
  if (PUBLISHERS.has(program)) return rest.some((word) => PUBLISHING.has(word));
  if (program === 'find') {
    if (rest.includes('-delete')) return true;
    const runs = rest.findIndex((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
    return runs >= 0 && isDestructive(rest.slice(runs + 1), depth);
  }
  if (depth > 5) return false;
  if (SHELLS.has(program) || program === 'eval') {
    const flag = rest.findIndex((word) => /^-[a-z]*c$/.test(word));
    const inner = program === 'eval' ? rest.join(' ') : flag >= 0 ? rest[flag + 1] : undefined;
    if (inner === undefined || inner.length > MAX_COMMAND_CHARS) return false;
    return parseShell(inner).commands.some((command) => isDestructive(literalsOf(command), depth + 1));
  }
  if (WRAPPERS.has(program)) {
    // Which options of a wrapper take a value is not known here, so every tail may be the command.
    for (let at = 0; at < Math.min(rest.length, 8); at++) {
      const word = rest[at] as string;
      if (word.startsWith('-') || word.includes('=')) continue;
      if (isDestructive(rest.slice(at), depth + 1)) return true;
      if (!/^\d/.test(word) && (rest[at - 1] === undefined || !(rest[at - 1] as string).startsWith('-'))) return false;
    }
  }
  return false;
}
