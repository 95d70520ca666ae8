import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError, errorCode, writeError } from '../util/errors.ts';
import { syncFolder } from './temp.ts';

/** A file that only grows. */
export class AppendFile {
  /** The file behind all links. */
  readonly path: string;
  readonly #name: string;
  #fd: number | undefined;
  #created = false;

  constructor(name: string) {
    this.#name = name;
    this.path = placeOf(name);
  }

  /**
   * Looks at the file as it is now: its size, 0 where there is none, and whether it is another file than at the last
   * look, because somebody replaced it.
   */
  look(): { readonly size: number; readonly replaced: boolean } {
    const facts = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    const replaced = this.#fd !== undefined && !isSame(facts, fstatSync(this.#fd, { bigint: true }));
    if (replaced) this.close();
    if (!facts) return { size: 0, replaced };
    if (facts.isDirectory()) throw new AppError(`${this.#name}: is a folder; pass a file`);
    if (!facts.isFile()) throw new AppError(`${this.#name}: is not a regular file; a log must be one`);
    // From now on another file of this name is noticed.
    this.#open();
    return { size: Number(facts.size), replaced };
  }

  read(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start);
    let at = 0;
    try {
      while (at < bytes.length) {
        const read = readSync(this.#open(), bytes, at, bytes.length - at, start + at);
        if (read === 0) break;
        at += read;
      }
    } catch (error) {
      throw this.#asError(error);
    }
    return bytes.subarray(0, at);
  }

  /** Appends by one write. One that the system cuts short is completed, or what came through is cut off again. */
  append(bytes: Buffer): void {
    const fd = this.#open();
    const before = fstatSync(fd).size;
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written);
    } catch (error) {
      if (written > 0) this.#cut(fd, before, written);
      throw this.#asError(error);
    }
  }

  sync(): void {
    try {
      if (this.#fd !== undefined) fsyncSync(this.#fd);
      if (this.#created) syncFolder(dirname(this.path));
      this.#created = false;
    } catch (error) {
      throw this.#asError(error);
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Only our own bytes are cut off: a program that knows no lock may have added its own behind them. */
  #cut(fd: number, before: number, written: number): void {
    try {
      if (fstatSync(fd).size === before + written) {
        ftruncateSync(fd, before);
        return;
      }
    } catch {
      // Told below.
    }
    throw new AppError(
      `${this.#name}: the rest of an entry could not be written to the disk, so it is truncated now; run 'sessionctl repair'`,
    );
  }

  #open(): number {
    if (this.#fd !== undefined) return this.#fd;
    const flags = constants.O_RDWR | constants.O_APPEND;
    try {
      this.#fd = openSync(this.path, flags);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw this.#asError(error);
      try {
        this.#fd = openSync(this.path, flags | constants.O_CREAT | constants.O_EXCL, 0o600);
        this.#created = true;
      } catch (again) {
        throw this.#asError(again);
      }
    }
    return this.#fd;
  }

  #asError(error: unknown): AppError {
    return error instanceof AppError ? error : writeError(this.#name, error);
  }
}

function placeOf(name: string): string {
  try {
    if (lstatSync(name, { throwIfNoEntry: false })) return realpathSync(name);
    return join(realpathSync(dirname(name)), basename(name));
  } catch (error) {
    throw writeError(name, error);
  }
}

function isSame(now: BigIntStats | undefined, then: BigIntStats): boolean {
  return now !== undefined && now.dev === then.dev && now.ino === then.ino;
}
