import { commands } from '../commands/index.ts';
import { allOptions, COMMON_OPTIONS, type Command, type Io, type ParsedArgs } from '../shared/command.ts';
import { UsageError } from '../util/errors.ts';
import { nearest } from '../util/words.ts';
import { makeIo } from './io.ts';
import { parseArgv } from './parse.ts';
import type { ProgressLine } from './progress.ts';
import { type ProcessIo, tell } from './tell.ts';

/** Finds the command, parses the words behind it and runs it. Never throws: what goes wrong becomes a line on stderr. */
export async function run(
  argv: readonly string[],
  outside: ProcessIo,
  settle: (code: number) => Promise<number>,
): Promise<number> {
  let progress: ProgressLine | undefined;
  let command: Command | undefined;
  let code: number;
  try {
    const [word, ...rest] = argv;
    const isHelp = word === undefined || word === 'help' || word === '--help' || word === '-h';
    const name = word === 'help' && rest[0]?.startsWith('-') === false ? rest[0] : isHelp ? undefined : word;
    command = name === undefined ? undefined : await loadCommand(name);
    const parsed = parseArgv(command ? allOptions(command) : COMMON_OPTIONS, rest);
    const io = await makeIo(parsed.color, outside);
    progress = io.progress;
    if (!command) code = await showProgramHelp(word !== undefined, io);
    else if (isHelp || parsed.asksForHelp) code = await showCommandHelp(command, io);
    else code = await runCommand(command, parsed.given(), io);
  } catch (error) {
    progress?.clear();
    return tell(error, outside, command?.name);
  }
  progress.clear();
  return await settle(code);
}

async function loadCommand(name: string): Promise<Command> {
  const entry = commands.find((one) => one.name === name);
  if (entry) return await entry.load();
  if (name.startsWith('-')) throw new UsageError(`unknown option '${name}'; a command such as 'validate' comes first`);
  const meant = nearest(
    name,
    commands.map((one) => one.name),
  )[0];
  if (meant) throw new UsageError(`unknown command '${name}'; did you mean '${meant}'?`);
  if (/[./\\]/.test(name)) throw new UsageError(`a command such as 'validate' comes before the file '${name}'`);
  throw new UsageError(`unknown command '${name}'`);
}

async function showProgramHelp(isAskedFor: boolean, io: Io): Promise<number> {
  const { programHelp } = await import('./program-help.ts');
  if (isAskedFor) io.stdout.write(programHelp(io.style));
  else io.stderr.write(programHelp(io.errorStyle));
  return isAskedFor ? 0 : 2;
}

async function showCommandHelp(command: Command, io: Io): Promise<number> {
  const { commandHelp } = await import('./help.ts');
  io.stdout.write(commandHelp(command, io.style));
  return 0;
}

async function runCommand(command: Command, args: ParsedArgs, io: Io): Promise<number> {
  if (readsStdin(command, args) && io.stdin.isTTY) {
    const { usageLine } = await import('./help.ts');
    io.stderr.write(
      `sessionctl: ${command.name}: no FILE given and standard input is a terminal\nusage: ${usageLine(command)}\n`,
    );
    io.stderr.write(`'sessionctl ${command.name} --help' shows more\n`);
    return 2;
  }
  return await command.run(args, io);
}

function readsStdin(command: Command, args: ParsedArgs): boolean {
  if (!command.readsInput || args.operands.length > 0) return false;
  return !command.options.some(
    ({ name, needsNoInput }) => needsNoInput && (args.flag(name) || args.text(name) !== undefined),
  );
}
