import { closeSync, fchmodSync, fchownSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, errorCode, writeError } from '../util/errors.ts';

export type Random = (bytes: number) => Uint8Array;

/** Whether a file in a folder of ours is one that a killed program left behind. */
export function isTempName(name: string): boolean {
  return /^\.sessionctl-[0-9a-f]{24}\.tmp$/.test(name);
}

/** Who may do what with a file, as its copy is to have it. */
export interface Ownership {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * A private file that nobody can guess the name of, in the folder where its content is to end up. It is created, renamed
 * and removed by calls that do not wait, so that a signal finds it either registered or gone; when the signal aborts
 * it is removed at once.
 */
export class TempFile {
  readonly path: string;
  readonly #fd: number;
  readonly #signal: AbortSignal;
  #open = true;
  #exists = true;

  /** The mode is narrowed by the umask, and final where `finish` gets no other. */
  constructor(folder: string, random: Random, signal: AbortSignal, mode = 0o600) {
    requireRunning(signal);
    // No base name in it: a long one would not fit, and agents list what ends in .jsonl.
    this.path = join(folder, `.sessionctl-${Buffer.from(random(12)).toString('hex')}.tmp`);
    try {
      this.#fd = openSync(this.path, 'wx', mode);
    } catch (error) {
      throw writeError(folder, error);
    }
    this.#signal = signal;
    liveOf(signal).add(this);
  }

  write(bytes: Uint8Array): void {
    requireRunning(this.#signal);
    writeFully(this.#fd, bytes);
  }

  /** The content and its permissions are on the disk when this returns. */
  finish(ownership?: Ownership): void {
    requireRunning(this.#signal);
    if (ownership) adopt(this.#fd, ownership);
    fsyncSync(this.#fd);
    this.#close();
  }

  /** The file gets its name; what had that name before is gone. Durable when this returns, unless the caller syncs the folder. */
  moveTo(target: string, sync = true): void {
    requireRunning(this.#signal);
    renameSync(this.path, target);
    this.#exists = false;
    liveOf(this.#signal).delete(this);
    if (sync) syncFolder(dirname(target));
  }

  /** No trace is left. Does nothing once the file has its name. */
  discard(): void {
    liveOf(this.#signal).delete(this);
    this.#close();
    if (!this.#exists) return;
    this.#exists = false;
    try {
      unlinkSync(this.path);
    } catch {
      // Somebody else removed it, or the folder went away: there is nothing left to remove.
    }
  }

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }
}

/** The temp files that are gone when a signal aborts: one listener for all of them. */
const LIVE = new WeakMap<AbortSignal, Set<TempFile>>();

function liveOf(signal: AbortSignal): Set<TempFile> {
  const known = LIVE.get(signal);
  if (known) return known;
  const live = new Set<TempFile>();
  LIVE.set(signal, live);
  signal.addEventListener('abort', () => {
    for (const temp of live) temp.discard();
  });
  return live;
}

export function requireRunning(signal: AbortSignal): void {
  if (signal.aborted) throw new AppError(`stopped by ${String(signal.reason)}`);
}

/** At a place in the file, or behind what was written last. */
export function writeFully(fd: number, bytes: Uint8Array, position?: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(fd, bytes, at, bytes.length - at, position === undefined ? null : position + at);
  }
}

/** Gives an open file the owner and mode of another one. Where the group cannot be given, it gets no rights either. */
export function adopt(fd: number, { mode, uid, gid }: Ownership): void {
  let rights = mode & 0o7777;
  try {
    fchownSync(fd, uid, gid);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // The set-id bits would now work for somebody else.
    rights &= 0o1777;
    try {
      fchownSync(fd, -1, gid);
    } catch (again) {
      if (!isRefusal(again)) throw again;
      rights &= 0o1707;
    }
  }
  fchmodSync(fd, rights);
}

function isRefusal(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'EPERM' || code === 'EACCES' || code === 'EINVAL' || code === 'ENOSYS' || code === 'ENOTSUP';
}

/** Makes names that were given or taken away in a folder durable, where the system lets us. */
export function syncFolder(folder: string): void {
  let fd: number;
  try {
    fd = openSync(folder, 'r');
  } catch {
    // A folder that may be written but not read, or a system that opens no folders.
    return;
  }
  try {
    fsyncSync(fd);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'EINVAL' && code !== 'EPERM' && code !== 'EBADF' && code !== 'ENOTSUP' && code !== 'EISDIR')
      throw error;
  } finally {
    closeSync(fd);
  }
}
