import { UsageTrouble } from '../base/trouble.ts';
import { version } from '../base/version.ts';
import { nearest } from '../base/words.ts';
import type { Command, Io } from '../commands/command.ts';
import { commands } from '../commands/index.ts';
import { showCommandHelp } from './run.ts';

/** The command that the first word names; the version and the help are told at once. */
export async function findCommand(argv: readonly string[], io: Io): Promise<Command | number> {
  const name = argv[0];
  if (name === '--version' || name === '-V') {
    io.stdout.write(`${version}\n`);
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return await showHelp(argv, io);
  return await loadCommand(name);
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
  const about = argv[0] === 'help' ? argv[1] : undefined;
  if (about !== undefined && !about.startsWith('-')) return await showCommandHelp(await loadCommand(about), io);
  const { programHelp } = await import('./program-help.ts');
  if (argv[0] === undefined) {
    io.stderr.write(programHelp(io.errorStyle));
    return 2;
  }
  io.stdout.write(programHelp(io.style));
  return 0;
}
