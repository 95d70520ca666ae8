import { isObject } from '../json/value.ts';
import { shellQuoted } from '../util/words.ts';
import { parseShell, type SimpleCommand } from './shell.ts';

/** What a shell command seems to do: only a hint, never a reason for a milder verdict. */
export type BashHint = 'likely read-only' | 'rerunnable, record as new verification' | 'destructive or external';

const MAX_COMMAND_CHARS = 100_000;

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

const READERS = words('cat ls rg grep head tail wc pwd cd echo');
const GIT_READERS = words('status diff log show');
/** `-c` and external helpers can make git run anything. */
const GIT_STARTS = /^(?:|-c|--config-env.*|--exec-path.*|--output.*|--ext-diff|--textconv)$/;
/** By reader: arguments that make it write or run something; '' is a word that is not literal. */
const READER_WRITES: ReadonlyMap<string, RegExp> = new Map([
  ['find', /^(?:|-(?:delete|exec|execdir|ok|okdir|fls|fprint.*))$/],
  ['rg', /^(?:|--pre.*|--hostname-bin.*)$/s],
]);

const DESTRUCTIVE = words(`
  rm rmdir unlink shred mv dd mkfs truncate ssh scp sftp rsync psql mysql mongosh redis-cli
  docker podman kubectl helm terraform tofu pulumi aws gcloud az gh glab systemctl crontab
  kill pkill killall shutdown reboot
`);
const GIT_DESTRUCTIVE = words('push reset clean');
const PUBLISHES = /^(?:publish|unpublish|deprecate|upload|yank)$/;
/** By program: arguments that send or publish something. */
const SENDS: ReadonlyMap<string, RegExp> = new Map([
  ['curl', /^(?:-[a-zA-Z]*[XdFT].*|--request.*|--data.*|--form.*|--upload-file.*|--json.*|--url-query.*)$/],
  ['wget', /^--(?:post|method|body)/],
  ...'npm pnpm yarn bun cargo poetry twine uv gem'.split(' ').map((program) => [program, PUBLISHES] as const),
]);

const RUNNERS = words(`
  vitest jest mocha ava pytest tox nox mypy pyright tsc ctest phpunit rspec eslint ruff
  make ninja bazel gradle ./gradlew mvn ./mvnw esbuild vite biome prettier flake8 shellcheck
`);
const RUNNER_WRITES = words('--fix --write install clean deploy publish release dev serve uninstall');
const SCRIPT_RUNNERS = words('npm pnpm yarn bun');
const CHECKING_SCRIPT = /^(?:test|tests|build|lint|typecheck|type-check|check|coverage|bench)(?:[:-].*)?$/;
/** Programs that are runners with this first argument. */
const SUBCOMMAND_RUNNERS = words(`
  go:test go:build go:vet cargo:test cargo:build cargo:check cargo:clippy cargo:bench cargo:nextest dotnet:test
  dotnet:build swift:test swift:build zig:build zig:test deno:test deno:check deno:lint mix:test mix:compile
`);

/** Programs that run what their arguments name. */
const WRAPPERS = words('sudo doas env nohup timeout nice ionice stdbuf setsid xargs command exec builtin');
const LAUNCHERS = words('uv:run poetry:run pipenv:run bundle:exec');
const SHELLS = words('sh bash zsh dash ksh');
const RUNS_TEXT = /^-[a-z]*c$/;

/** The shell text in a tool's arguments, by the keys that agents use. */
export function commandText(args: unknown): string | undefined {
  if (!isObject(args)) return undefined;
  const action = isObject(args['action']) ? args['action'] : {};
  const command = args['command'] ?? args['cmd'] ?? args['script'] ?? action['command'];
  if (typeof command === 'string') return command;
  if (!Array.isArray(command) || !command.every((part): part is string => typeof part === 'string')) return undefined;
  const shell = command.findIndex((part, index) => index > 0 && RUNS_TEXT.test(part));
  if (shell > 0 && SHELLS.has(command[0] ?? '')) return command[shell + 1];
  return command.map(shellQuoted).join(' ');
}

/** A hint about what a command does, and whether it leaves a process in the background. */
export function readCommand(text: string): { readonly hint?: BashHint; readonly leavesProcess: boolean } {
  if (text.length > MAX_COMMAND_CHARS) return { leavesProcess: false };
  const script = parseShell(text);
  const { commands } = script;
  const last = commands.findLastIndex((command) => command.background);
  const leavesProcess = last >= 0 && !commands.slice(last + 1).some((command) => command.words[0]?.text === 'wait');
  const hinted = (hint: BashHint) => ({ hint, leavesProcess });
  if (commands.some((command) => isDestructive(literalsOf(command), 0))) return hinted('destructive or external');
  const isPlain = script.understood && !script.compound && !script.substitution && commands.length > 0;
  const runs = commands.map((command) => isRunner(literalsOf(command)));
  const isKnown = (command: SimpleCommand, at: number) =>
    !command.background && (runs[at] || (!command.assigns && isReader(literalsOf(command))));
  if (!isPlain || !commands.every(isKnown)) return { leavesProcess };
  if (runs.includes(true)) return hinted('rerunnable, record as new verification');
  return script.redirection ? { leavesProcess } : hinted('likely read-only');
}

/** A word that is not literal may become anything. */
function literalsOf(command: SimpleCommand): string[] {
  return command.words.map((word) => (word.literal ? word.text : ''));
}

function isReader([program = '', ...rest]: readonly string[]): boolean {
  if (program === 'git') {
    const { subcommand, options } = gitCall(rest);
    return GIT_READERS.has(subcommand) && !options.some((word) => GIT_STARTS.test(word));
  }
  const writes = READER_WRITES.get(program);
  if (writes && rest.some((word) => writes.test(word))) return false;
  return READERS.has(program) || program === 'find';
}

function gitCall(rest: readonly string[]): { subcommand: string; options: readonly string[] } {
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] as string;
    if (/^(?:-C|-c|--git-dir|--work-tree|--namespace)$/.test(word)) at++;
    else if (!word.startsWith('-')) return { subcommand: word, options: rest.toSpliced(at, 1) };
  }
  return { subcommand: '', options: rest };
}

function isRunner([program = '', ...rest]: readonly string[]): boolean {
  if (rest.some((word) => RUNNER_WRITES.has(word))) return false;
  if (/^(?:npx|bunx|uvx)$/.test(program))
    return isRunner(rest.filter((word) => !/^--?(?:yes|no-install|y)$/.test(word)));
  if (LAUNCHERS.has(`${program}:${rest[0]}`)) return isRunner(rest.slice(1));
  if (SCRIPT_RUNNERS.has(program)) {
    const [first = '', second = ''] = rest.filter((word) => !word.startsWith('-'));
    if (first === 'exec') return isRunner(rest.slice(rest.indexOf('exec') + 1).filter((word) => word !== '--'));
    return CHECKING_SCRIPT.test(first === 'run' ? second : first);
  }
  if (/^python3?$/.test(program)) return rest[0] === '-m' && (rest[1] === 'unittest' || isRunner(rest.slice(1)));
  const subcommand = rest.find((word) => !/^[-+]/.test(word));
  return RUNNERS.has(program) || SUBCOMMAND_RUNNERS.has(`${program}:${subcommand}`);
}

function isDestructive([whole = '', ...rest]: readonly string[], depth: number): boolean {
  const program = whole.slice(whole.lastIndexOf('/') + 1);
  if (DESTRUCTIVE.has(program) || program.startsWith('mkfs.')) return true;
  if (program === 'git') return GIT_DESTRUCTIVE.has(gitCall(rest).subcommand);
  const sends = SENDS.get(program);
  if (sends) return rest.some((word) => sends.test(word));
  if (program === 'find') {
    const runs = rest.findIndex((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
    return rest.includes('-delete') || (runs >= 0 && isDestructive(rest.slice(runs + 1), depth));
  }
  if (depth > 5) return false;
  if (SHELLS.has(program) || program === 'eval') {
    const flag = rest.findIndex((word) => RUNS_TEXT.test(word));
    const inner = program === 'eval' ? rest.join(' ') : flag >= 0 ? rest[flag + 1] : undefined;
    if (inner === undefined || inner.length > MAX_COMMAND_CHARS) return false;
    return parseShell(inner).commands.some((command) => isDestructive(literalsOf(command), depth + 1));
  }
  // It is not known which options of a wrapper take a value, so every tail may be the command.
  for (let at = 0; WRAPPERS.has(program) && at < Math.min(rest.length, 8); at++) {
    const word = rest[at] as string;
    if (word.startsWith('-') || word.includes('=')) continue;
    if (isDestructive(rest.slice(at), depth + 1)) return true;
    if (!/^\d/.test(word) && !rest[at - 1]?.startsWith('-')) return false;
  }
  return false;
}
