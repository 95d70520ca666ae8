import { commands } from '../commands/index.ts';
import {
  allOptions,
  COMMON_OPTIONS,
  type Io,
  type NamedCommand,
  optionWords,
  type ParsedArgs,
} from '../shared/command.ts';
import { UnknownOption, UsageError } from '../util/errors.ts';
import { columnsOf } from '../util/width.ts';
import { didYouMean } from '../util/words.ts';
import { makeIo } from './io.ts';
import { parseArgv } from './parse.ts';
import type { ProgressLine } from './progress.ts';
import { type ProcessIo, reportError } from './report.ts';

/** Finds the command, parses the words behind it and runs it. Never throws: an error becomes a line on stderr. */
export async function run(argv: readonly string[], outside: ProcessIo, settle: (code: number) => Promise<number>) {
  let progress: ProgressLine | undefined;
  let command: NamedCommand | undefined;
  try {
    const [word, ...rest] = argv;
    const isHelp = word === undefined || ['help', '--help', '-h'].includes(word);
    const topic = word === 'help' && !['help', 'version'].includes(rest[0] ?? '') ? rest[0] : undefined;
    const name = topic?.startsWith('-') === false ? topic : isHelp ? undefined : word;
    command = name === undefined ? undefined : await loadCommand(name);
    const parsed = parseArgv(command ? allOptions(command) : COMMON_OPTIONS, rest);
    const io = await makeIo(parsed.unchecked.text('color'), outside);
    progress = io.progress;
    const asksForHelp = isHelp || parsed.unchecked.flag('help');
    const isShort = word !== 'help' && !argv.includes('--help');
    const code =
      command && !asksForHelp
        ? await runCommand(command, parsed.checked(), io)
        : await showHelp(command, { isRequested: word !== undefined, isShort }, io);
    progress.clear();
    return await settle(code);
  } catch (error) {
    progress?.clear();
    return reportError(error instanceof UnknownOption ? await withOwners(error) : error, outside, command?.name);
  }
}

/** What other programs call it. */
const ALIASES = new Map([['check', 'validate']]);
const SHOW = "; 'log' lists the entries of a session, 'context' shows what the model sees, 'export' writes all of it";
const HINTS = new Map(['show', 'view', 'cat'].map((word) => [word, SHOW]));
const SUGGESTIONS = new Map(
  Object.entries({
    ...{ fix: 'repair', recover: 'repair', lint: 'validate', verify: 'validate', doctor: 'validate', fsck: 'validate' },
    ...{ search: 'grep', find: 'grep', upgrade: 'migrate', import: 'convert', resume: 'status', usage: 'stats' },
  }),
);

async function loadCommand(name: string): Promise<NamedCommand> {
  const entry = commands.find((one) => one.name === (ALIASES.get(name) ?? name));
  if (entry) return await entry.load();
  if (name.startsWith('-'))
    throw new UsageError(`unknown option '${name}'; a command such as 'validate' or 'repair' comes first`);
  const names = commands.map((one) => one.name);
  const suggestion = SUGGESTIONS.get(name);
  const hint = HINTS.get(name) ?? (suggestion ? `; did you mean '${suggestion}'?` : didYouMean(name, names));
  if (!hint && /[.:/\\]/.test(name))
    throw new UsageError(`a command such as 'validate' comes before the file '${name}'`);
  throw new UsageError(`unknown command '${name}'${hint}`);
}

const MOST_OWNERS = 3;

/** Says which other commands have an option. */
async function withOwners({ word, message }: UnknownOption): Promise<UsageError> {
  const all = await Promise.all(commands.map((entry) => entry.load()));
  const owners = all.filter(({ options }) => options.some((option) => optionWords(option).includes(word)));
  const names = owners.slice(0, MOST_OWNERS).map(({ name }) => `'${name}'`);
  if (owners.length > MOST_OWNERS) names.push('others');
  const last = names.length > 1 ? ` and ${names.pop()}` : '';
  if (owners.length === 0) return new UsageError(message);
  return new UsageError(
    `unknown option '${word}'; ${names.join(', ')}${last} ${owners.length > 1 ? 'have' : 'has'} it`,
  );
}

interface HelpRequest {
  /** A call without any word is a usage error. */
  readonly isRequested: boolean;
  /** By -h; --help shows everything. */
  readonly isShort: boolean;
}

async function showHelp(command: NamedCommand | undefined, { isRequested, isShort }: HelpRequest, io: Io) {
  const { commandHelp, programHelp, shortHelp } = await import('./help.ts');
  const [out, style] = isRequested ? [io.stdout, io.style] : [io.stderr, io.errorStyle];
  const columns = columnsOf(out);
  out.write(
    command ? (isShort ? shortHelp : commandHelp)(command, style, columns) : programHelp(style, isShort, columns),
  );
  return isRequested ? 0 : 2;
}

async function runCommand(command: NamedCommand, parsed: ParsedArgs, io: Io): Promise<number> {
  await refuseRevs(command, parsed.operands);
  const args = { ...parsed, operands: await filesOf(command, parsed.operands, io) };
  if (!readsStdin(command, args) || !io.stdin.isTTY) return await command.run(args, io);
  const { usageLine } = await import('./help.ts');
  io.stderr.write(
    `sessionctl: ${command.name}: no FILE given and standard input is a terminal\nusage: ${usageLine(command)}\n` +
      `'sessionctl ${command.name} --help' shows more\n`,
  );
  return 2;
}

const REV = /^(?:HEAD|@|root|line:\d+|leaf:\d+)(?:~\d+)?$/;

/** Where an option names the entry, an operand that could name one is a mistake. */
async function refuseRevs({ options }: NamedCommand, operands: readonly string[]): Promise<void> {
  const rev = operands.find((word) => REV.test(word));
  if (rev === undefined || !options.some(({ name }) => name === 'leaf')) return;
  const { isThere } = await import('../files/input.ts');
  if (!(await isThere(rev))) throw new UsageError(`'${rev}' is no file; '--leaf ${rev}' names an entry`);
}

/** Operands such as claude:4f2a are replaced by the files that they mean. */
async function filesOf({ operands: takes, options, verbs = [] }: NamedCommand, operands: readonly string[], io: Io) {
  const takesAgent = takes.includes('AGENT');
  const mayName = takesAgent ? /^[a-z-]+:./ : /^[a-z][a-z-]*(?::|$)/;
  const files = operands.filter((word) => !verbs.includes(word));
  if (!takes.includes('FILE') || !files.some((word) => mayName.test(word))) return operands;
  const { refuseAgent, resolveAddresses } = await import('../sessions/address.ts');
  if (!takesAgent) await refuseAgent(files[0] ?? '');
  // A pattern is no file, whatever it looks like.
  const at = takes.startsWith('PATTERN') ? 1 : 0;
  const takesSession = takesAgent || options.some(({ name }) => name === 'session');
  return [...operands.slice(0, at), ...(await resolveAddresses(operands.slice(at), takesSession, io))];
}

function readsStdin(command: NamedCommand, args: ParsedArgs): boolean {
  if (command.readsInput === false || args.operands.length > 0) return false;
  return !command.options.some(
    ({ name, needsNoInput }) => needsNoInput && (args.flag(name) || args.text(name) !== undefined),
  );
}
