import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError, errorCode, fileError, UsageError, writeError } from '../util/errors.ts';

/** Runs calls on a file; what the system refuses becomes one line about the path. */
export function attempt<T>(path: string, calls: () => T, asError = fileError): T {
  try {
    return calls();
  } catch (error) {
    throw asError(path, error);
  }
}

export function attemptWrite<T>(path: string, calls: () => T): T {
  return attempt(path, calls, writeError);
}

/** What the calls give, or the fallback where the system refuses. */
export function tryOr<T>(fallback: T, calls: () => T): T {
  try {
    return calls();
  } catch {
    return fallback;
  }
}

export function requireRunning(signal: AbortSignal): void {
  if (signal.aborted) throw new AppError(`stopped by ${String(signal.reason)}`);
}

export function withFile<T>(path: string, flags: string | number, use: (fd: number) => T, mode?: number): T {
  const fd = openSync(path, flags, mode);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** A new file, or none where the writing fails; false where the name is taken. */
export function createFile(path: string, write: (fd: number) => void): boolean {
  let isOurs = false;
  const begin = (fd: number): void => {
    isOurs = true;
    write(fd);
  };
  try {
    withFile(path, 'wx', begin, 0o600);
    return true;
  } catch (error) {
    if (!isOurs && errorCode(error) === 'EEXIST') return false;
    if (isOurs) remove(path);
    throw writeError(path, error);
  }
}

/** Reading what may be anything: a link is not followed, and opening a pipe does not wait for a writer. */
export const CAUTIOUS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What is done with a regular file; undefined where there is none of that name. */
export function withPlainFile<T>(path: string, use: (fd: number, size: number) => T): T | undefined {
  try {
    return withFile(path, CAUTIOUS, (fd) => {
      const facts = fstatSync(fd);
      return facts.isFile() ? use(fd, facts.size) : undefined;
    });
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EMLINK'].includes(errorCode(error) ?? '')) return undefined;
    throw fileError(path, error);
  }
}

/** Fills the buffer from a position on and gives the number of bytes; fewer only at the end of the file. */
export function readFully(fd: number, buffer: Buffer, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const bytes = readSync(fd, buffer, filled, buffer.length - filled, position + filled);
    if (bytes === 0) break;
    filled += bytes;
  }
  return filled;
}

/** At a position, or behind what was written last. */
export function writeFully(fd: number, bytes: Uint8Array, position?: number): void {
  for (let at = 0; at < bytes.length; )
    at += writeSync(fd, bytes, at, bytes.length - at, position === undefined ? null : position + at);
}

/** Somebody else may have removed it already, or the folder went away: there is nothing left to remove then. */
export function remove(path: string): void {
  tryOr(undefined, () => unlinkSync(path));
}

/** Who may do what with a file, as its copy is to have it. */
export interface Ownership {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export function ownershipOf(facts: BigIntStats): Ownership {
  return { mode: Number(facts.mode) & 0o7777, uid: Number(facts.uid), gid: Number(facts.gid) };
}

/** Gives an open file the owner and mode of another one. Where the group cannot be given, it gets no rights either. */
export function adopt(fd: number, { mode, uid, gid }: Ownership): void {
  let rights = mode;
  if (!isGiven(fd, uid, gid)) {
    // The set-id bits would now apply to another owner.
    rights &= isGiven(fd, -1, gid) ? 0o1777 : 0o1707;
  }
  fchmodSync(fd, rights);
}

function isGiven(fd: number, uid: number, gid: number): boolean {
  try {
    fchownSync(fd, uid, gid);
    return true;
  } catch (error) {
    if (['EPERM', 'EACCES', 'EINVAL', 'ENOSYS', 'ENOTSUP'].includes(errorCode(error) ?? '')) return false;
    throw error;
  }
}

/** Makes names that were given or taken away in a folder durable, where the system lets us. */
export function syncFolder(folder: string): void {
  const fd = tryOr(undefined, () => openSync(folder, 'r'));
  // A folder that may be written but not read, or a system that opens no folders.
  if (fd === undefined) return;
  try {
    fsyncSync(fd);
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EBADF', 'ENOTSUP', 'EISDIR'].includes(errorCode(error) ?? '')) throw error;
  } finally {
    closeSync(fd);
  }
}

/** Whether a path leads to the file that was seen. */
export function isSameFile(path: string, facts: BigIntStats): boolean {
  const now = tryOr(undefined, () => statSync(path, { bigint: true }));
  return now?.dev === facts.dev && now.ino === facts.ino;
}

/** Whether two names lead to one file, whether or not it is there yet. */
export function samePlace(one: string, other: string): boolean {
  const facts = statSync(one, { throwIfNoEntry: false, bigint: true });
  const place = (path: string): string => join(realPath(dirname(path)), basename(path));
  return facts ? isSameFile(other, facts) : place(one) === place(other);
}

/** Refuses to write to a file that the run reads, or writes something else to. */
export function requireOtherPlace(path: string, others: readonly string[], option: string): void {
  if (path === '-') throw new UsageError(`'-' is no file for ${option}; pass a name, or './-'`);
  const other = isPlainPlace(path) ? others.find((one) => samePlace(one, path)) : undefined;
  if (other !== undefined) throw new AppError(`${path}: is '${other}' itself; choose another file with ${option}`);
}

/** The file that a name leads to, or where it would be: the folder of a free name, without links. Throws for none. */
export function behindLinks(name: string): string {
  if (statSync(name, { throwIfNoEntry: false })) return realpathSync(name);
  if (lstatSync(name, { throwIfNoEntry: false }))
    throw new AppError(`${name}: is a broken symbolic link; remove it or choose another file`);
  return join(realpathSync(dirname(name)), basename(name));
}

/** The path without links; the path itself where there is nothing. */
export function realPath(path: string): string {
  return tryOr(resolve(path), () => realpathSync(path));
}

/** A regular file, or a name that is free; not a device, a pipe or a folder. */
export function isPlainPlace(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
}
