import type { Output } from '../base/output.ts';
import { printable } from '../base/printable.ts';
import { ClosedPipe, errorCode, isClosedPipe, systemTrouble, Trouble, UsageTrouble } from '../base/trouble.ts';
import type { Command, Given, Io } from '../commands/command.ts';
import { allOptions } from '../commands/common-options.ts';
import { makeGiven } from './given.ts';
import { makeIo } from './io.ts';
import type { ProgressLine } from './progress.ts';
import { asksForHelp, sortWords } from './words.ts';

/** The outside as the launcher hands it in. */
export type ProcessIo = Pick<Io, 'stdin' | 'stdout' | 'stderr' | 'env'> & Partial<Pick<Io, 'now' | 'random' | 'signal'>>;

export const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** The command that a call is for, or the exit code where the call was answered already. */
export type Find = (argv: readonly string[], io: Io) => Promise<Command | number>;

/** Runs one call of the program. Never throws: whatever goes wrong becomes one line on stderr and an exit code. */
export async function run(argv: readonly string[], outside: ProcessIo, find: Find): Promise<number> {
  // A reader that goes away before the first write reports it here; the writers report it themselves later.
  const stdoutFailure = watchErrors(outside.stdout);
  let io: (Io & { readonly progress: ProgressLine }) | undefined;
  let command: Command | undefined;
  let code: number;
  try {
    io = await makeIo(argv, outside);
    const found = await find(argv, io);
    if (typeof found === 'number') code = found;
    else {
      command = found;
      code = await runCommand(command, argv.slice(1), io);
    }
  } catch (error) {
    io?.progress.clear();
    return tell(error, outside, command?.name);
  }
  io.progress.clear();
  return await settle(code, stdoutFailure, outside);
}

export async function showCommandHelp(command: Command, io: Io): Promise<number> {
  const { commandHelp } = await import('./help.ts');
  io.stdout.write(commandHelp(command, io.style));
  return 0;
}

async function runCommand(command: Command, argv: readonly string[], io: Io): Promise<number> {
  if (asksForHelp(allOptions(command), argv)) return await showCommandHelp(command, io);
  const given = await parse(command, argv);
  if (given.flag('help')) return await showCommandHelp(command, io);
  if (readsStdin(command, given) && io.stdin.isTTY) {
    const { usageLine } = await import('./help.ts');
    io.stderr.write(`sessionctl: ${command.name}: no FILE given and standard input is a terminal\nusage: ${usageLine(command)}\n`);
    io.stderr.write(`'sessionctl ${command.name} --help' tells more\n`);
    return 2;
  }
  return await command.run(given, io);
}

function readsStdin(command: Command, given: Given): boolean {
  if (!command.readsInput || given.operands.length > 0) return false;
  return !command.options.some(({ name, needsNoInput }) => needsNoInput && (given.flag(name) || given.text(name) !== undefined));
}

/** Where no option was typed, there is nothing for yargs to do, and it is not loaded. */
async function parse(command: Command, argv: readonly string[]): Promise<Given> {
  const { options, operands } = sortWords(allOptions(command), argv);
  if (options.length === 0) return makeGiven(operands, {});
  const { parseArguments } = await import('./parse.ts');
  return parseArguments(command, argv);
}

/** One line about what went wrong, and the exit code for it. */
export function tell(error: unknown, outside: Pick<ProcessIo, 'stderr' | 'env' | 'signal'>, command?: string): number {
  if (error instanceof ClosedPipe || isClosedPipe(error)) return exitCodeOf(error);
  const signal = outside.signal;
  if (signal?.aborted) return SIGNAL_CODES[String(signal.reason)] ?? 2;
  const trouble = error instanceof Trouble ? error : systemError(error);
  if (trouble) {
    outside.stderr.write(`sessionctl: ${printable(trouble.message)}\n`);
    if (trouble instanceof UsageTrouble) {
      outside.stderr.write(`'sessionctl ${command ? `${command} ` : ''}--help' tells how to call it\n`);
    }
    return 2;
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  outside.stderr.write(`sessionctl: a bug in sessionctl, please report it: ${printable(message)}\n`);
  if (outside.env['SESSIONCTL_DEBUG'] && error instanceof Error) outside.stderr.write(`${error.stack}\n`);
  return 2;
}

/** What the system refused is no bug of ours; without a path it was the writing to stdout. */
function systemError(error: unknown): Trouble | undefined {
  if (!(error instanceof Error) || errorCode(error) === undefined || !('syscall' in error)) return undefined;
  return systemTrouble('path' in error && typeof error.path === 'string' ? error.path : 'standard output', error);
}

function watchErrors(stream: Output): () => Error | undefined {
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  return () => failure;
}

/** The code earned, unless what was written did not arrive: a full disk must not look like success. */
async function settle(code: number, stdoutFailure: () => Error | undefined, outside: ProcessIo): Promise<number> {
  await new Promise<void>((done) => {
    outside.stdout.write('', () => done());
  });
  const failure = stdoutFailure();
  return failure === undefined || isClosedPipe(failure) ? code : tell(failure, outside);
}

/** A command that was cut short by its reader carries the code it had earned. */
function exitCodeOf(error: unknown): number {
  if (typeof error === 'object' && error !== null && 'exitCode' in error && typeof error.exitCode === 'number') return error.exitCode;
  return 0;
}
