import { closeSync, fdatasync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileError, writeError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { adopt, attempt, type Ownership, remove, requireRunning, syncFolder, writeFully } from './disk.ts';

/** The disk starts on so many bytes while more are written, so that less is left to wait for at the end. */
const SYNC_BYTES = 32 * 1024 * 1024;

/** Whether a file in a folder of ours is one that a killed program left behind. */
export function isTempName(name: string): boolean {
  return /^\.sessionctl-[0-9a-f]{24}\.tmp$/.test(name);
}

/**
 * A private file with a name that cannot be guessed, in the folder where its content is to end up. It is created,
 * renamed and removed by calls that do not wait, so that a signal finds it either registered or gone; when the signal
 * aborts it is removed at once.
 */
export class TempFile {
  readonly path: string;
  readonly fd: number;
  protected readonly signal: AbortSignal;
  /** A spool need not get to the disk at all. */
  #unsynced: number;
  #open = true;
  #exists = true;

  /** The mode is narrowed by the umask, and final where `finish` gets no other. */
  constructor(folder: string, random: Io['random'], signal: AbortSignal, mode = 0o600, kind: 'tmp' | 'spool' = 'tmp') {
    requireRunning(signal);
    // No base name in it: a long one would not fit, and agents list what ends in .jsonl.
    this.path = join(folder, `.sessionctl-${Buffer.from(random(12)).toString('hex')}.${kind}`);
    this.fd = attempt(folder, () => openSync(this.path, 'wx+', mode), kind === 'tmp' ? writeError : fileError);
    this.signal = signal;
    this.#unsynced = kind === 'tmp' ? 0 : Number.NEGATIVE_INFINITY;
    liveOf(signal).add(this);
  }

  write(bytes: Uint8Array): void {
    requireRunning(this.signal);
    writeFully(this.fd, bytes);
    this.#unsynced += bytes.length;
    if (this.#unsynced < SYNC_BYTES) return;
    this.#unsynced = 0;
    fdatasync(this.fd, () => {});
  }

  /** The content and its permissions are on the disk when this returns, unless it need not be durable. */
  finish(ownership?: Ownership, sync = true): void {
    requireRunning(this.signal);
    if (ownership) adopt(this.fd, ownership);
    if (sync) fsyncSync(this.fd);
    this.#close();
  }

  /** The file gets its name; what had it before is gone. Durable when this returns, if `sync` is set. */
  moveTo(target: string, sync = true): void {
    requireRunning(this.signal);
    renameSync(this.path, target);
    this.#exists = false;
    liveOf(this.signal).delete(this);
    if (sync) syncFolder(dirname(target));
  }

  /** No trace is left. Does nothing once the file has its name. */
  discard(): void {
    liveOf(this.signal).delete(this);
    this.#close();
    if (this.#exists) remove(this.path);
    this.#exists = false;
  }

  #close(): void {
    if (this.#open) closeSync(this.fd);
    this.#open = false;
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
