/**
 * An error that ends a command: wrong usage, unreadable input, a refusal. The message has the form "PATH: what is
 * wrong; what to do", lower case and without a full stop; the program prints it as one line and exits with 2.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  /** The kind of error, for programs; of system errors their own code, such as ENOENT. */
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode = 'FAILED') {
    super(message);
    this.code = code;
  }
}

export type ErrorCode =
  | 'FAILED'
  | 'USAGE'
  | 'NOT_A_SESSION'
  | 'UNKNOWN_REV'
  | 'DAMAGED'
  | 'CHANGED'
  | (`E${string}` & {});

/** Wrong usage. The program adds a pointer to the command's help. */
export class UsageError extends AppError {
  constructor(message: string) {
    super(message, 'USAGE');
  }
}

/** An unknown option without a similar one. */
export class UnknownOption extends UsageError {
  readonly word: string;

  /** The hint is for an option that no other command has either. */
  constructor(word: string, hint: string) {
    super(`unknown option '${word}'${hint}`);
    this.word = word;
  }
}

/** A message about a log, which starts with its name; a log of the library may have none. */
export function about(name: string, reason: string): string {
  return name === '' ? reason : `${name}: ${reason}`;
}

/** What is wrong with a log. */
export class LogError extends AppError {
  /** The message without the name. */
  readonly reason: string;

  constructor(name: string, reason: string, code?: ErrorCode) {
    super(about(name, reason), code);
    this.reason = reason;
  }
}

/** A file that is not a session log, or whose format is not supported by the command. */
export class UnsupportedLog extends LogError {
  constructor(name: string, reason: string) {
    super(name, reason, 'NOT_A_SESSION');
  }
}

/** Output could not be written: ends the whole run, not only the work on one file. */
export class OutputError extends AppError {}

/** The reader of our output went away. The run ends quietly, with the exit code so far. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
  exitCode = 0;
}

/** Waits for output; where its reader went away, the run ends with this exit code. */
export async function withExitCode<Result>(code: number, output: Promise<Result>): Promise<Result> {
  try {
    return await output;
  } catch (error) {
    throw error instanceof ClosedPipe ? Object.assign(error, { exitCode: code }) : error;
  }
}

/** Whether a stream's error means that its reader is gone. */
export function isClosedPipe(error: unknown): boolean {
  return ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'].includes(errorCode(error) ?? '');
}

const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder; check the path',
  EACCES: 'permission denied; check the permissions',
  EPERM: 'operation not permitted; check the owner',
  EISDIR: 'is a folder; pass a file',
  ENOTDIR: 'part of the path is not a folder; check the path',
  ENOSPC: 'no space left on the disk; free some space and run again',
  EDQUOT: 'the disk quota is used up; free some space and run again',
  EFBIG: 'the file would exceed a size limit; raise the limit or write elsewhere',
  EROFS: 'the file system is read-only; write elsewhere with -o',
  ELOOP: 'too many levels of symbolic links; check the path',
  ENAMETOOLONG: 'the name is too long; use a shorter one',
  EMFILE: 'too many open files; raise the limit or pass fewer files',
  EIO: 'the disk reported an error; copy the file to another disk and try again',
};

/** Turns a system error about a path into a clear message; AppErrors stay unchanged. */
export function fileError(path: string, error: unknown, reasons = SYSTEM_REASONS): AppError {
  if (error instanceof AppError) return error;
  const code = errorCode(error) ?? '';
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return new AppError(`${path}: ${reason}`, code.startsWith('E') ? (code as ErrorCode) : 'FAILED');
}

const WRITE_REASONS: Readonly<Record<string, string>> = {
  ...SYSTEM_REASONS,
  ENOENT: 'no such folder; make it first',
  EACCES: 'permission denied; check who may write there',
};

/** The same for a path that was to be written. */
export function writeError(path: string, error: unknown): AppError {
  return fileError(path, error, WRITE_REASONS);
}

export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
