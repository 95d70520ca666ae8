import { findCommand } from './cli/find-command.ts';
import { launch as launchWith } from './cli/launch.ts';
import { type ProcessIo, run } from './cli/run.ts';

export type { ProcessIo } from './cli/run.ts';

/** One call of the program: the arguments without node and script, and the streams to use. Gives the exit code. */
export async function main(argv: readonly string[], io: ProcessIo): Promise<number> {
  io.stderr.on('error', () => {});
  io.stdin.on('error', () => {});
  return await run(argv, io, findCommand);
}

/** The program itself. Called by the launcher in bin/. */
export async function launch(): Promise<void> {
  await launchWith(findCommand);
}
