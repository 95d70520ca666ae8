import process from 'node:process';
import { type ProcessIo, run, SIGNAL_CODES, tell } from './cli/run.ts';

export type { ProcessIo } from './cli/run.ts';

/** One call of the program: the arguments without node and script, and the streams to use. Gives the exit code. */
export async function main(argv: readonly string[], io: ProcessIo): Promise<number> {
  return await run(argv, io);
}

/** The program itself: real streams, real signals. Called by the launcher in bin/. */
export async function launch(): Promise<void> {
  const stop = new AbortController();
  let lastResort: NodeJS.Timeout | undefined;
  for (const [name, code] of Object.entries(SIGNAL_CODES)) {
    process.once(name, () => {
      // Temp files and locks are removed by this very call, before anything else runs.
      stop.abort(name);
      // A command that waits for a slow reader or an idle pipe has nothing left to lose.
      lastResort = setTimeout(() => process.exit(code), 500);
    });
  }
  const outside = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env, signal: stop.signal };
  // What escapes from a stream or a forgotten promise gets its one line too, instead of a stack trace.
  process.on('uncaughtException', (error) => process.exit(tell(error, outside)));
  const code = await main(process.argv.slice(2), outside);
  clearTimeout(lastResort);
  process.exitCode = stop.signal.aborted ? (SIGNAL_CODES[String(stop.signal.reason)] ?? code) : code;
  // A terminal or an idle pipe as stdin would keep the process alive after the work is done.
  process.stdin.unref?.();
  process.stdin.destroy();
}
