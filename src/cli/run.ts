import { randomFillSync } from 'node:crypto';
import type { Writable } from 'node:stream';
import { printable } from '../base/printable.ts';
import { ClosedPipe, errorCode, isClosedPipe, systemTrouble, Trouble, UsageTrouble } from '../base/trouble.ts';
import { version } from '../base/version.ts';
import { nearest } from '../base/words.ts';
import type { Command, Io } from '../commands/command.ts';
import { allOptions } from '../commands/common-options.ts';
import { commands } from '../commands/index.ts';
import type { ProgressLine } from './progress.ts';

/** The outside as the launcher hands it in. */
export type ProcessIo = Pick<Io, 'stdin' | 'stdout' | 'stderr' | 'env'> & Partial<Pick<Io, 'now' | 'random' | 'signal'>>;

export const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Runs one call of the program. Never throws: whatever goes wrong becomes one line on stderr and an exit code. */
export async function run(argv: readonly string[], outside: ProcessIo): Promise<number> {
  // A reader that goes away before the first write reports it here; the writers report it themselves later.
  const stdoutFailure = watchErrors(outside.stdout);
  outside.stderr.on('error', () => {});
  outside.stdin.on('error', () => {});
  const name = argv[0];
  if (name === '--version' || name === '-V') {
    outside.stdout.write(`${version}\n`);
    return await settle(0, stdoutFailure, outside);
  }
  let io: (Io & { readonly progress: ProgressLine }) | undefined;
  let command: Command | undefined;
  let code: number;
  try {
    const { makeIo } = await import('./io.ts');
    io = makeIo(argv, outside, (bytes) => randomFillSync(new Uint8Array(bytes)));
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') code = await showHelp(argv, io);
    else {
      command = await loadCommand(name);
      code = await runCommand(command, argv.slice(1), io);
    }
  } catch (error) {
    io?.progress.clear();
    return tell(error, outside, command?.name);
  }
  io.progress.clear();
  return await settle(code, stdoutFailure, outside);
}

async function runCommand(command: Command, argv: readonly string[], io: Io): Promise<number> {
  const [{ parseArguments }, { asksForHelp }] = await Promise.all([import('./parse.ts'), import('./words.ts')]);
  if (asksForHelp(allOptions(command), argv)) return await showCommandHelp(command, io);
  const given = parseArguments(command, argv);
  if (given.flag('help')) return await showCommandHelp(command, io);
  if (command.readsInput && given.operands.length === 0 && io.stdin.isTTY) {
    const { usageLine } = await import('./help.ts');
    io.stderr.write(`sessionctl: ${command.name}: no FILE given and standard input is a terminal\nusage: ${usageLine(command)}\n`);
    io.stderr.write(`'sessionctl ${command.name} --help' tells more\n`);
    return 2;
  }
  return await command.run(given, io);
}

async function loadCommand(name: string): Promise<Command> {
  const entry = commands.find((one) => one.name === name);
  if (entry) return await entry.load();
  if (name.startsWith('-')) throw new UsageTrouble(`unknown option '${name}'; a command comes first, such as 'validate'`);
  const meant = nearest(
    name,
    commands.map((one) => one.name),
  )[0];
  if (meant) throw new UsageTrouble(`unknown command '${name}'; did you mean '${meant}'?`);
  if (/[./\\]/.test(name)) throw new UsageTrouble(`a command comes before the file '${name}', such as 'validate'`);
  throw new UsageTrouble(`unknown command '${name}'`);
}

async function showHelp(argv: readonly string[], io: Io): Promise<number> {
  const { programHelp } = await import('./help.ts');
  const about = argv[0] === 'help' ? argv[1] : undefined;
  if (about !== undefined && !about.startsWith('-')) return await showCommandHelp(await loadCommand(about), io);
  if (argv[0] === undefined) {
    io.stderr.write(programHelp(io.errorStyle));
    return 2;
  }
  io.stdout.write(programHelp(io.style));
  return 0;
}

async function showCommandHelp(command: Command, io: Io): Promise<number> {
  const { commandHelp } = await import('./help.ts');
  io.stdout.write(commandHelp(command, io.style));
  return 0;
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

function watchErrors(stream: Writable): () => Error | undefined {
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure ??= error;
  });
  return () => failure;
}

/** The code earned, unless what was written did not arrive: a full disk must not look like success. */
async function settle(code: number, stdoutFailure: () => Error | undefined, outside: ProcessIo): Promise<number> {
  await new Promise((done) => setImmediate(done));
  const failure = stdoutFailure();
  return failure === undefined || isClosedPipe(failure) ? code : tell(failure, outside);
}

/** A command that was cut short by its reader carries the code it had earned. */
function exitCodeOf(error: unknown): number {
  if (typeof error === 'object' && error !== null && 'exitCode' in error && typeof error.exitCode === 'number') return error.exitCode;
  return 0;
}
