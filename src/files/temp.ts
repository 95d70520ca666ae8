import { closeSync, fchmodSync, fchownSync, fdatasync, fsyncSync, openSync, renameSync, unlinkSync, writeSync, writev } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, Trouble, writeTrouble } from '../base/trouble.ts';

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
  /** Calls on their way, before whose end the file cannot be closed. */
  #busy = 0;
  #idle = (): void => {};
  /** Bytes that nobody has asked the disk to keep yet, and whether it is being asked. */
  #unsynced = 0;
  #syncing = false;
  #failed: Error | undefined;

  /** The mode is narrowed by the umask, and final where `finish` gets no other. */
  constructor(folder: string, random: Random, signal: AbortSignal, mode = 0o600) {
    requireRunning(signal);
    // No base name in it: a long one would not fit, and agents list what ends in .jsonl.
    this.path = join(folder, `.sessionctl-${Buffer.from(random(12)).toString('hex')}.tmp`);
    try {
      this.#fd = openSync(this.path, 'wx', mode);
    } catch (error) {
      throw writeTrouble(folder, error);
    }
    this.#signal = signal;
    liveOf(signal).add(this);
  }

  write(bytes: Uint8Array): void {
    requireRunning(this.#signal);
    writeFully(this.#fd, bytes);
    this.#syncAhead(bytes.length);
  }

  /** Writes while the caller does something else; one call at a time. */
  async append(parts: readonly Uint8Array[]): Promise<void> {
    requireRunning(this.#signal);
    let rest = parts;
    let length = 0;
    for (const part of parts) length += part.length;
    for (let at = 0; at < length; ) {
      const written = await this.#call<number>((done) => writev(this.#fd, rest, done));
      requireRunning(this.#signal);
      at += written;
      if (at < length) rest = behind(rest, written);
    }
    this.#syncAhead(length);
  }

  /** No call is on its way when this returns. */
  async settled(): Promise<void> {
    if (this.#busy > 0) {
      await new Promise<void>((done) => {
        this.#idle = done;
      });
    }
    if (this.#failed) throw this.#failed;
  }

  /** The content and its permissions are on the disk when this returns. Ask for `settled` first where much was written. */
  finish(ownership?: Ownership): void {
    requireRunning(this.#signal);
    if (this.#failed) throw this.#failed;
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
    // A call on its way would otherwise meet whatever file gets the number next.
    if (this.#busy === 0) closeSync(this.#fd);
  }

  #call<T>(begin: (done: (error: Error | null, result?: T) => void) => void): Promise<T> {
    this.#busy++;
    return new Promise<T>((take, fail) => {
      begin((error, result) => {
        this.#busy--;
        if (this.#busy === 0) {
          if (!this.#open) closeSync(this.#fd);
          this.#idle();
        }
        if (error) fail(error);
        else take(result as T);
      });
    });
  }

  /** Lets the disk begin with what there is, so that not all of it is waited for at the end. */
  #syncAhead(written: number): void {
    this.#unsynced += written;
    if (this.#unsynced < SYNC_AHEAD_BYTES || this.#syncing || !this.#open) return;
    this.#unsynced = 0;
    this.#syncing = true;
    this.#call<void>((done) => fdatasync(this.#fd, done)).then(
      () => {
        this.#syncing = false;
      },
      (error: Error) => {
        // Told once, and only to whoever asked: the sync at the end would know nothing of it.
        this.#failed ??= error;
      },
    );
  }
}

const SYNC_AHEAD_BYTES = 32 * 1024 * 1024;

/** What is left of some parts without their first bytes. */
function behind(parts: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const left: Uint8Array[] = [];
  let skip = bytes;
  for (const part of parts) {
    if (skip < part.length) left.push(part.subarray(skip));
    skip = Math.max(0, skip - part.length);
  }
  return left;
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
  if (signal.aborted) throw new Trouble(`stopped by ${String(signal.reason)}`);
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
    if (code !== 'EINVAL' && code !== 'EPERM' && code !== 'EBADF' && code !== 'ENOTSUP' && code !== 'EISDIR') throw error;
  } finally {
    closeSync(fd);
  }
}
