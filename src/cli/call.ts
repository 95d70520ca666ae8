import { version } from '../util/version.ts';
import { type ProcessIo, watchOutput } from './tell.ts';

/** One call of the program. The version needs no more than this file, and nothing else is loaded for it. */
export async function call(argv: readonly string[], outside: ProcessIo): Promise<number> {
  const settle = watchOutput(outside);
  if (argv[0] !== '--version' && argv[0] !== '-V') return await (await import('./run.ts')).run(argv, outside, settle);
  outside.stdout.write(`${version}\n`);
  return await settle(0);
}
