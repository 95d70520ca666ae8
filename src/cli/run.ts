import { randomFillSync } from 'node:crypto';
import { printable } from '../base/printable.ts';
import { ClosedPipe, errorCode, Trouble, UsageTrouble } from '../base/trouble.ts';
import { version } from '../base/version.ts';
import { nearest } from '../base/words.ts';
import type { Command, Io } from '../commands/command.ts';
import { commands } from '../commands/index.ts';

/** The outside as the launcher hands it in. */
export type ProcessIo = Pick<Io, 'stdin' | 'stdout' | 'stderr' | 'env'> & Partial<Pick<Io, 'now' | 'random' | 'signal'>>;

export const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** Runs one call of the program. Never throws: whatever goes wrong becomes one line on stderr and an exit code. */
export async function run(argv: readonly string[], outside: ProcessIo): Promise<number> {
  // A reader that goes away before the first write reports it here; the writers report it themselves later.
  outside.stdout.on('error', () => {});
  outside.stderr.on('error', () => {});
  const name = argv[0];
  if (name === '--version' || name === '-V') {
    outside.stdout.write(`${version}\n`);
    return 0;
  }
  let io: Io | undefined;
  let command: Command | undefined;
  try {
    const { makeIo } = await import('./io.ts');
    io = makeIo(argv, outside, (bytes) => randomFillSync(new Uint8Array(bytes)));
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') return await showHelp(argv, io);
    command = await loadCommand(name);
    const { parseArguments } = await import('./parse.ts');
    const rest = argv.slice(1);
    const ended = rest.indexOf('--');
    const words = ended < 0 ? rest : rest.slice(0, ended);
    if (words.includes('--help') || words.includes('-h')) {
      const { commandHelp } = await import('./help.ts');
      io.stdout.write(commandHelp(command, io.style));
      return 0;
    }
    const given = parseArguments(command, rest);
    if (command.readsInput && given.operands.length === 0 && io.stdin.isTTY) {
      const { usageLine } = await import('./help.ts');
      io.stderr.write(`sessionctl: ${command.name}: no FILE given and standard input is a terminal\nusage: ${usageLine(command)}\n`);
      io.stderr.write(`'sessionctl ${command.name} --help' tells more\n`);
      return 2;
    }
    return await command.run(given, io);
  } catch (error) {
    return tell(error, outside, command);
  }
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
  const { commandHelp, programHelp } = await import('./help.ts');
  const about = argv[0] === 'help' ? argv[1] : undefined;
  if (about !== undefined && !about.startsWith('-')) {
    io.stdout.write(commandHelp(await loadCommand(about), io.style));
    return 0;
  }
  if (argv[0] === undefined) {
    io.stderr.write(programHelp(io.errorStyle));
    return 2;
  }
  io.stdout.write(programHelp(io.style));
  return 0;
}

function tell(error: unknown, outside: ProcessIo, command: Command | undefined): number {
  if (error instanceof ClosedPipe || errorCode(error) === 'EPIPE') return exitCodeOf(error);
  const signal = outside.signal;
  if (signal?.aborted) return SIGNAL_CODES[String(signal.reason)] ?? 2;
  if (error instanceof Trouble) {
    outside.stderr.write(`sessionctl: ${printable(error.message)}\n`);
    if (error instanceof UsageTrouble) {
      outside.stderr.write(`'sessionctl ${command ? `${command.name} ` : ''}--help' tells how to call it\n`);
    }
    return 2;
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  outside.stderr.write(`sessionctl: a bug in sessionctl, please report it: ${printable(message)}\n`);
  if (outside.env['SESSIONCTL_DEBUG'] && error instanceof Error) outside.stderr.write(`${error.stack}\n`);
  return 2;
}

/** A command that was cut short by its reader carries the code it had earned. */
function exitCodeOf(error: unknown): number {
  if (typeof error === 'object' && error !== null && 'exitCode' in error && typeof error.exitCode === 'number') return error.exitCode;
  return 0;
}
