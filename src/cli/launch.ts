import { isThreadWaiting, mayBeTerminal, standardOutput } from '../commands/system.ts';
import { type Find, type ProcessIo, run, SIGNAL_CODES, tell } from './run.ts';

/** The program as a process: real streams, real signals. */
export async function launch(find: Find): Promise<void> {
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
  const stdin = onFirstUse(0, () => process.stdin);
  const stderr = onFirstUse(2, () => process.stderr);
  const stdout = standardOutput(1, () => process.stdout) ?? process.stdout;
  const outside: ProcessIo = { stdin: stdin.stream, stdout, stderr: stderr.stream, env: process.env, signal: stop.signal };
  // What escapes from a stream or a forgotten promise gets its one line too, instead of a stack trace.
  process.on('uncaughtException', (error) => process.exit(tell(error, outside)));
  const code = await run(process.argv.slice(2), outside, find);
  clearTimeout(lastResort);
  process.exitCode = stop.signal.aborted ? (SIGNAL_CODES[String(stop.signal.reason)] ?? code) : code;
  if (!stdin.isUsed()) return;
  // A terminal or an idle pipe as stdin would keep the process alive after the work is done.
  process.stdin.unref?.();
  process.stdin.destroy();
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

/**
 * A standard stream that is opened when it is first used: opening one takes Node longer than a small log takes to be
 * read, and most calls use neither stdin nor stderr. Whether it is a terminal is known without where it cannot be one.
 */
function onFirstUse<Stream extends NodeJS.EventEmitter>(fd: number, open: () => Stream): { stream: Stream; isUsed: () => boolean } {
  let opened: Stream | undefined;
  const use = (): Stream => {
    // A stream that nobody listens to would end the process by its error.
    opened ??= open().on('error', () => {});
    return opened;
  };
  const stream = new Proxy({} as Stream, {
    get(_nothing, name) {
      if (name === 'isTTY' && !opened && !mayBeTerminal(fd)) return false;
      const target = use();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { stream, isUsed: () => opened !== undefined };
}
