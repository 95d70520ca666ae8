import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError, errorCode, writeError } from '../util/errors.ts';
import { syncFolder, writeFully } from './temp.ts';

const FULL = 256 * 1024;

/** A file of records that only grows: what was in it stays. It is there from the first record on. */
export class AppendOnlyFile {
  readonly path: string;
  readonly #mode: number;
  #fd: number | undefined;
  #isNew = false;
  #waiting: string[] = [];
  #waitingChars = 0;

  /** A new file gets the mode at most; one that is there loses what it allows beyond it. */
  constructor(path: string, mode: number) {
    this.path = path;
    this.#mode = mode & 0o666;
  }

  append(text: string): void {
    try {
      this.#fd ??= this.#open();
      this.#waiting.push(text);
      this.#waitingChars += text.length;
      if (this.#waitingChars >= FULL) this.#flush(this.#fd);
    } catch (error) {
      throw error instanceof AppError ? error : writeError(this.path, error);
    }
  }

  /** Everything that was appended is on the disk when this returns. */
  finish(): void {
    const fd = this.#fd;
    if (fd === undefined) return;
    this.#fd = undefined;
    try {
      this.#flush(fd);
      fsyncSync(fd);
    } catch (error) {
      // A pipe or a device has nothing to be made safe.
      if (errorCode(error) !== 'EINVAL') throw writeError(this.path, error);
    } finally {
      closeSync(fd);
    }
    if (this.#isNew) syncFolder(dirname(this.path));
  }

  #flush(fd: number): void {
    for (const text of this.#waitingChars < FULL ? [this.#waiting.join('')] : this.#waiting)
      writeFully(fd, Buffer.from(text, 'utf8'));
    this.#waiting = [];
    this.#waitingChars = 0;
  }

  #open(): number {
    const before = statSync(this.path, { throwIfNoEntry: false });
    if (before?.isDirectory()) throw new AppError(`${this.path}: is a folder; pass a file`);
    this.#isNew = before === undefined;
    narrowMode(this.path, this.#mode);
    const fd = openSync(this.path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, this.#mode);
    // A record that a crash cut off must not run into ours.
    if (fstatSync(fd).isFile() && !endsWithNewline(this.path)) writeFully(fd, Buffer.from('\n'));
    return fd;
  }
}

/** Takes away what a file that is there allows beyond a mode: it is about to hold copies of what that mode protects. */
export function narrowMode(path: string, mode: number): void {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts?.isFile() || (facts.mode & 0o777 & ~mode) === 0) return;
  try {
    chmodSync(path, facts.mode & 0o777 & mode);
  } catch (error) {
    throw writeError(path, error);
  }
}

/** Whether two names lead to one file, whether or not it is there yet. */
export function samePlace(one: string, other: string): boolean {
  return place(one) === place(other);
}

function place(path: string): string {
  const facts = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (facts) return `${facts.dev} ${facts.ino}`;
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return resolve(path);
  }
}

/** True for an empty file. */
function endsWithNewline(path: string): boolean {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    if (size === 0) return true;
    const last = Buffer.alloc(1);
    readSync(fd, last, 0, 1, size - 1);
    return last[0] === 0x0a;
  } finally {
    closeSync(fd);
  }
}

/** A regular file, or a name that is free; not a device, a pipe or a folder. */
export function isPlainPlace(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts === undefined || facts.isFile();
}
