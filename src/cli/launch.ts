import { isThreadWaiting, standardOutput } from '../shared/system.ts';
import { call } from './call.ts';
import { type ProcessIo, SIGNAL_CODES, tell } from './tell.ts';

/** The program as a process, called by bin/: real streams, real signals. */
export async function launch(): Promise<void> {
  const stop = new AbortController();
  let lastResort: NodeJS.Timeout | undefined;
  for (const [name, code] of Object.entries(SIGNAL_CODES)) {
    process.once(name, () => {
      // Temp files and locks are removed by this very call, before anything else runs.
      stop.abort(name);
      // A command that waits for a slow reader or an idle pipe has nothing left to lose.
      lastResort = setTimeout(() => (isThreadWaiting() ? endBy(name, code) : process.exit(code)), 500);
    });
  }
  const { stdin, stderr, env } = process;
  // A stream that nobody listens to would end the process by its error.
  for (const stream of [stdin, stderr]) stream.on('error', () => {});
  const outside: ProcessIo = { stdin, stdout: standardOutput(process.stdout), stderr, env, signal: stop.signal };
  // What escapes from a stream or a forgotten promise gets its one line too, instead of a stack trace.
  process.on('uncaughtException', (error) => process.exit(tell(error, outside)));
  const code = await call(process.argv.slice(2), outside);
  clearTimeout(lastResort);
  process.exitCode = stop.signal.aborted ? (SIGNAL_CODES[String(stop.signal.reason)] ?? code) : code;
  // A terminal or an idle pipe as stdin would keep the process alive after the work is done.
  stdin.unref?.();
  stdin.destroy();
}

/**
 * Ends the process by the signal itself: `process.exit` would wait for a thread that waits for whoever is at the other end
 * of a pipe. Shells see the same exit code either way.
 */
function endBy(signal: string, code: number): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(code), 500);
}
