import type { Io } from '../shared/command.ts';
import { AppError, ClosedPipe, errorCode, fileError, isClosedPipe, UsageError } from '../util/errors.ts';
import { printable } from '../util/printable.ts';

/** The outside as the launcher hands it in. */
export type ProcessIo = Pick<Io, 'stdin' | 'stdout' | 'stderr' | 'env'> &
  Partial<Pick<Io, 'now' | 'random' | 'signal'>>;

export const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** One line about what went wrong, and the exit code for it. */
export function tell(error: unknown, outside: Pick<ProcessIo, 'stderr' | 'env' | 'signal'>, command?: string): number {
  if (error instanceof ClosedPipe || isClosedPipe(error)) return exitCodeOf(error);
  const signal = outside.signal;
  if (signal?.aborted) return SIGNAL_CODES[String(signal.reason)] ?? 2;
  const trouble = error instanceof AppError ? error : systemError(error);
  if (trouble) {
    outside.stderr.write(`sessionctl: ${printable(trouble.message)}\n`);
    if (trouble instanceof UsageError) {
      outside.stderr.write(`'sessionctl ${command ? `${command} ` : ''}--help' shows how to use it\n`);
    }
    return 2;
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  outside.stderr.write(`sessionctl: a bug in sessionctl, please report it: ${printable(message)}\n`);
  if (outside.env['SESSIONCTL_DEBUG'] && error instanceof Error) outside.stderr.write(`${error.stack}\n`);
  return 2;
}

/** What the system refused is no bug of ours; without a path it was the writing to stdout. */
function systemError(error: unknown): AppError | undefined {
  if (!(error instanceof Error) || errorCode(error) === undefined || !('syscall' in error)) return undefined;
  return fileError('path' in error && typeof error.path === 'string' ? error.path : 'standard output', error);
}

/**
 * Watches standard output from now on: a reader that goes away before the first write is reported here only. What it gives
 * turns the code earned into the code to exit with, once all is written: a full disk must not look like success.
 */
export function watchOutput(outside: ProcessIo): (code: number) => Promise<number> {
  const failed = new Promise<Error>((done) => outside.stdout.on('error', done));
  return async (code) => {
    const written = new Promise<Error | undefined>((done) =>
      outside.stdout.write('', (error) => done(error ?? undefined)),
    );
    const failure = await Promise.race([failed, written]);
    return failure === undefined || isClosedPipe(failure) ? code : tell(failure, outside);
  };
}

/** A command that was cut short by its reader carries the code it had earned. */
function exitCodeOf(error: unknown): number {
  if (typeof error === 'object' && error !== null && 'exitCode' in error && typeof error.exitCode === 'number')
    return error.exitCode;
  return 0;
}
