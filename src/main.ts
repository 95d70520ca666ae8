import { call } from './cli/call.ts';
import type { ProcessIo } from './cli/tell.ts';

export { launch } from './cli/launch.ts';
export type { ProcessIo } from './cli/tell.ts';

/** One call of the program: the arguments without node and script, and the streams to use. Gives the exit code. */
export async function main(argv: readonly string[], io: ProcessIo): Promise<number> {
  io.stderr.on('error', () => {});
  io.stdin.on('error', () => {});
  return await call(argv, io);
}
