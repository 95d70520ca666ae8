import process from 'node:process';
import { type ProcessIo, run, SIGNAL_CODES } from './cli/run.ts';

export type { ProcessIo } from './cli/run.ts';

/** One call of the program: the arguments without node and script, and the streams to use. Gives the exit code. */
export async function main(argv: readonly string[], io: ProcessIo): Promise<number> {
  return await run(argv, io);
}

/** The program itself: real streams, real signals. Called by the launcher in bin/. */
export async function launch(): Promise<void> {
  const stop = new AbortController();
  for (const name of Object.keys(SIGNAL_CODES)) {
    process.once(name as NodeJS.Signals, () => {
      stop.abort(name);
      // Commands that hold temp files remove them when the signal aborts; nothing else is worth waiting for.
      setTimeout(() => process.exit(SIGNAL_CODES[name]), 500).unref();
    });
  }
  const code = await main(process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    signal: stop.signal,
  });
  process.exitCode = stop.signal.aborted ? (SIGNAL_CODES[String(stop.signal.reason)] ?? code) : code;
  // A terminal or an idle pipe as stdin would keep the process alive after the work is done.
  process.stdin.unref?.();
  process.stdin.destroy();
}
