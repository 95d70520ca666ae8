import { isThreadWaiting, standardError, standardOutput } from '../files/system.ts';
import { version } from '../util/version.ts';
import { type ProcessIo, reportError, SIGNAL_CODES, watchOutput } from './report.ts';

/** One call of the program: the arguments without node and script, and the streams to use. Gives the exit code. */
export async function main(argv: readonly string[], outside: ProcessIo): Promise<number> {
  const settle = watchOutput(outside);
  // The version needs no more than this file, and nothing else is loaded for it.
  if (!['--version', '-V', '-v', 'version'].includes(argv[0] ?? ''))
    return await (await import('./run.ts')).run(argv, outside, settle);
  outside.stdout.write(`${version}\n`);
  return await settle(0);
}

/** The program as a process, called by bin/: real streams, real signals. */
export async function launch(): Promise<void> {
  const stop = new AbortController();
  let lastResort: NodeJS.Timeout | undefined;
  for (const [name, code] of Object.entries(SIGNAL_CODES)) {
    process.once(name, () => {
      // Temp files and locks are removed by this very call, before anything else runs.
      stop.abort(name);
      // A command that then still waits for a slow reader or an idle pipe is ended.
      lastResort = setTimeout(() => (isThreadWaiting() ? endBy(name, code) : process.exit(code)), 500);
    });
  }
  let input: typeof process.stdin | undefined;
  const outside: ProcessIo = {
    // Created on first use, because that takes a while.
    get stdin() {
      input ??= process.stdin.on('error', () => {});
      return input;
    },
    stdout: standardOutput(process.stdout),
    // An error of a stream without a listener would end the process.
    stderr: standardError(2, () => process.stderr.on('error', () => {})),
    env: process.env,
    signal: stop.signal,
  };
  // What escapes from a stream or a forgotten promise gets its one line too, instead of a stack trace.
  process.on('uncaughtException', (error) => process.exit(reportError(error, outside)));
  const code = await main(process.argv.slice(2), outside);
  clearTimeout(lastResort);
  process.exitCode = SIGNAL_CODES[String(stop.signal.reason)] ?? code;
  // A terminal or an idle pipe as stdin would keep the process alive after the work is done.
  input?.unref?.();
  input?.destroy();
}

/** Ends the process by the signal itself: `process.exit` would wait for a thread that waits at a pipe. */
function endBy(signal: string, code: number): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(code), 500);
}
