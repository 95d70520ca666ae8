import { chmodSync, closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, errorCode, writeError } from '../util/errors.ts';
import { attemptWrite, behindLinks, isSameFile, readFully, syncFolder, tryOr, writeFully } from './disk.ts';

/** A log that only grows. */
export class AppendFile {
  /** The file behind all links. */
  readonly path: string;
  readonly #name: string;
  #fd: number | undefined;
  #created = false;

  constructor(name: string) {
    this.#name = name;
    this.path = attemptWrite(name, () => behindLinks(name));
  }

  /** The file as it is now: its size, 0 where there is none, and whether it was replaced since the last check. */
  look(): { readonly size: number; readonly replaced: boolean } {
    const replaced = this.#fd !== undefined && !isSameFile(this.path, fstatSync(this.#fd, { bigint: true }));
    if (replaced) this.close();
    const facts = statSync(this.path, { throwIfNoEntry: false });
    if (!facts) return { size: 0, replaced };
    if (facts.isDirectory()) throw new AppError(`${this.#name}: is a folder; pass a file`);
    if (!facts.isFile()) throw new AppError(`${this.#name}: is not a regular file; a log must be one`);
    // From now on another file of this name is noticed.
    this.#open();
    return { size: facts.size, replaced };
  }

  read(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start);
    return attemptWrite(this.#name, () => bytes.subarray(0, readFully(this.#open(), bytes, start)));
  }

  /** Appends by one write. One that the system cuts short is completed, or what came through is cut off again. */
  append(bytes: Buffer): void {
    const fd = this.#open();
    const before = fstatSync(fd).size;
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written);
    } catch (error) {
      if (written > 0 && !isCutOff(fd, before, written))
        throw new AppError(
          `${this.#name}: the rest of an entry could not be written to the disk, so it is truncated now; run 'sessionctl repair'`,
        );
      throw writeError(this.#name, error);
    }
  }

  sync(): void {
    attemptWrite(this.#name, () => {
      if (this.#fd !== undefined) fsyncSync(this.#fd);
      if (this.#created) syncFolder(dirname(this.path));
      this.#created = false;
    });
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): number {
    if (this.#fd !== undefined) return this.#fd;
    this.#created ||= !statSync(this.path, { throwIfNoEntry: false });
    this.#fd = attemptWrite(this.#name, () => openSync(this.path, 'a+', 0o600));
    return this.#fd;
  }
}

/** Only our own bytes are cut off: a program that knows no lock may have added its own behind them. */
function isCutOff(fd: number, before: number, written: number): boolean {
  return tryOr(false, () => {
    if (fstatSync(fd).size !== before + written) return false;
    ftruncateSync(fd, before);
    return true;
  });
}

/** A file of records that only grows: what was in it stays. It is there from the first record on. */
export class AppendOnlyFile {
  readonly path: string;
  readonly #mode: number;
  #fd: number | undefined;
  #isNew = false;

  /** A new file gets the mode at most; one that is there loses what it allows beyond it. */
  constructor(path: string, mode: number) {
    this.path = path;
    this.#mode = mode & 0o666;
  }

  append(text: string): void {
    attemptWrite(this.path, () => {
      this.#fd ??= this.#open();
      writeFully(this.#fd, Buffer.from(text, 'utf8'));
    });
  }

  /** Everything that was appended is on the disk when this returns. */
  finish(): void {
    const fd = this.#fd;
    if (fd === undefined) return;
    this.#fd = undefined;
    try {
      fsyncSync(fd);
    } catch (error) {
      // A pipe or a device has nothing to be made safe.
      if (errorCode(error) !== 'EINVAL') throw writeError(this.path, error);
    } finally {
      closeSync(fd);
    }
    if (this.#isNew) syncFolder(dirname(this.path));
  }

  #open(): number {
    const before = statSync(this.path, { throwIfNoEntry: false });
    if (before?.isDirectory()) throw new AppError(`${this.path}: is a folder; pass a file`);
    this.#isNew = before === undefined;
    narrowMode(this.path, this.#mode);
    const fd = openSync(this.path, before?.isFile() ? 'a+' : 'a', this.#mode);
    const last = Buffer.from('\n');
    if (before?.isFile() && before.size > 0) readFully(fd, last, before.size - 1);
    // A record that a crash cut off must not run into ours.
    if (last[0] !== 0x0a) writeFully(fd, Buffer.from('\n'));
    return fd;
  }
}

/** Takes away what a file that is there allows beyond a mode: it is about to hold copies of what that mode protects. */
export function narrowMode(path: string, mode: number): void {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts?.isFile() || (facts.mode & 0o777 & ~mode) === 0) return;
  attemptWrite(path, () => chmodSync(path, facts.mode & 0o777 & mode));
}
