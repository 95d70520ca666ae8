import type { Io } from '../shared/command.ts';
import { AppError, ClosedPipe, errorCode, fileError, isClosedPipe, UsageError } from '../util/errors.ts';
import { printable } from '../util/printable.ts';

/** The outside as the launcher hands it in. */
export type ProcessIo = Pick<Io, 'stdin' | 'stdout' | 'stderr' | 'env'> &
  Partial<Pick<Io, 'now' | 'random' | 'signal'>>;

export const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** One line about what went wrong, and the exit code for it. */
export function reportError(error: unknown, { stderr, env, signal }: ProcessIo, command?: string): number {
  if (error instanceof ClosedPipe) return error.exitCode;
  if (isClosedPipe(error)) return 0;
  if (signal?.aborted) return SIGNAL_CODES[String(signal.reason)] ?? 2;
  const known = error instanceof AppError ? error : systemError(error);
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  stderr.write(`sessionctl: ${printable(known?.message ?? `a bug in sessionctl, please report it: ${message}`)}\n`);
  if (known instanceof UsageError)
    stderr.write(`'sessionctl ${command ? `${command} ` : ''}--help' shows how to use it\n`);
  if (!known && env['SESSIONCTL_DEBUG'] && error instanceof Error) stderr.write(`${error.stack}\n`);
  return 2;
}

/** What the system refused is no bug of ours; without a path it was the writing to stdout. */
function systemError(error: unknown): AppError | undefined {
  if (!(error instanceof Error) || errorCode(error) === undefined || !('syscall' in error)) return undefined;
  return fileError('path' in error && typeof error.path === 'string' ? error.path : 'standard output', error);
}

/**
 * Watches standard output from now on: a reader that goes away before the first write is reported here only. What it
 * returns turns an exit code into the final one, once all is written: a full disk must not look like success.
 */
export function watchOutput(outside: ProcessIo): (code: number) => Promise<number> {
  const failed = new Promise<Error>((done) => outside.stdout.on('error', done));
  return async (code) => {
    const written = new Promise<Error | null | undefined>((done) => outside.stdout.write('', done));
    const failure = await Promise.race([failed, written]);
    return !failure || isClosedPipe(failure) ? code : reportError(failure, outside);
  };
}
