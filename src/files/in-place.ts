import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  realpathSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { AppError, errorCode, fileError, writeError } from '../util/errors.ts';
import { grouped } from '../util/words.ts';
import { requireRegular } from './input.ts';
import {
  ended,
  ownershipOf,
  PRIVATE_MODE,
  requireWritable,
  type Sink,
  type SinkTools,
  sameFile,
  streamInto,
} from './sink.ts';
import { adopt, requireRunning, syncFolder, TempFile, writeFully } from './temp.ts';

const COPY_BYTES = 1024 * 1024;

export interface InPlaceOptions extends SinkTools {
  /** Keep the old content as FILE and this suffix, or the first free one with a number behind it. */
  readonly backupSuffix?: string | undefined;
  /** Only find out whether anything would change. */
  readonly dryRun?: boolean;
  readonly note?: (message: string) => void;
}

/**
 * A file and what is to take its place. What is written is compared with the file as it comes: up to the first
 * difference there is no second file at all, and without a difference the file is never touched.
 */
export class InPlace implements Sink {
  readonly stream: Writable;
  readonly streams = false;
  /** The file behind all links. */
  readonly path: string;
  readonly #name: string;
  readonly #fd: number;
  readonly #before: BigIntStats;
  readonly #options: InPlaceOptions;
  #temp: TempFile | undefined;
  #written = 0;
  #read: number;
  #differs = false;
  #closed = false;

  constructor(name: string, options: InPlaceOptions) {
    this.#name = name;
    this.#options = options;
    try {
      this.path = realpathSync(name);
      this.#fd = openSync(this.path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      throw fileError(name, error);
    }
    try {
      this.#before = fstatSync(this.#fd, { bigint: true });
      requireRegular(name, this.#before);
      if (!options.dryRun) requireWritable(name, this.path);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
    this.#read = Number(this.#before.size);
    this.stream = streamInto(name, (chunk) => this.#take(chunk), { highWaterMark: COPY_BYTES });
  }

  get mode(): number {
    return Number(this.#before.mode) & 0o777;
  }

  /** The bytes from the start, as often as wanted. A chunk's memory is used again for the next one. */
  async *read(): AsyncGenerator<Buffer, void, void> {
    const buffer = Buffer.allocUnsafeSlow(COPY_BYTES);
    let position = 0;
    for (;;) {
      const bytes = this.#readAt(buffer, position);
      if (bytes === 0) return;
      position += bytes;
      this.#read = Math.max(this.#read, position);
      yield buffer.subarray(0, bytes);
      // Reading does not wait, so a signal needs a moment to be heard.
      await new Promise((next) => setImmediate(next));
    }
  }

  async commit(): Promise<boolean> {
    await ended(this.stream, this.#name);
    try {
      if (!this.#differs && this.#written !== this.#read) this.#begin();
      if (!this.#differs || this.#options.dryRun) return this.#differs;
      this.#replace();
      return true;
    } finally {
      this.discard();
    }
  }

  discard(): void {
    this.#temp?.discard();
    this.#temp = undefined;
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#fd);
    this.stream.destroy();
  }

  #take(chunk: Buffer): void {
    requireRunning(this.#options.signal);
    if (!this.#differs && !this.#matches(chunk)) this.#begin();
    this.#temp?.write(chunk);
    this.#written += chunk.length;
  }

  #matches(chunk: Buffer): boolean {
    const same = Buffer.allocUnsafe(chunk.length);
    let at = 0;
    while (at < chunk.length) {
      const bytes = this.#readAt(same.subarray(at), this.#written + at);
      if (bytes === 0) return false;
      at += bytes;
    }
    return same.equals(chunk);
  }

  /** The first difference: from now on there is a second file, which starts as this one did. */
  #begin(): void {
    this.#differs = true;
    if (this.#options.dryRun) return;
    const temp = new TempFile(dirname(this.path), this.#options.random, this.#options.signal);
    this.#temp = temp;
    this.#copy(0, this.#written, (bytes) => temp.write(bytes));
  }

  #replace(): void {
    const temp = this.#temp;
    if (!temp) throw new AppError(`${this.#name}: nothing was written`);
    let backup: string | undefined;
    try {
      temp.finish(ownershipOf(this.#before));
      this.#requireUnchanged();
      backup = this.#options.backupSuffix === undefined ? undefined : this.#backUp(this.#options.backupSuffix);
      this.#requireUnchanged();
      if (this.#before.nlink > 1n) {
        this.#options.note?.(`${this.#name}: has other names (hard links); those keep the old content`);
      }
      temp.moveTo(this.path);
    } catch (error) {
      // The backup is a promise about a rewrite that did not take place.
      if (backup !== undefined && sameFile(this.path, this.#before)) remove(backup);
      throw error instanceof AppError ? error : writeError(this.#name, error);
    }
    this.#saveLate();
  }

  #requireUnchanged(): void {
    const now = fstatSync(this.#fd, { bigint: true });
    const grown = now.size !== this.#before.size || now.mtimeNs !== this.#before.mtimeNs;
    if (grown || !sameFile(this.path, this.#before)) {
      throw new AppError(
        `${this.#name}: was changed by another program in the meantime, nothing was replaced; run again when no program is writing to it`,
      );
    }
  }

  /** The old content under another name. A hard link where that goes: it is there at once, whole and with the same mode. */
  #backUp(suffix: string): string {
    for (let number = 0; ; number++) {
      const path = `${this.path}${suffix}${number === 0 ? '' : number}`;
      try {
        linkSync(this.path, path);
        return path;
      } catch (error) {
        const code = errorCode(error);
        if (code === 'EEXIST') continue;
        if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EACCES'].includes(code ?? ''))
          throw writeError(path, error);
      }
      if (this.#saveCopy(path, 0)) return path;
    }
  }

  /** False where the name is taken. */
  #saveCopy(path: string, start: number): boolean {
    let fd: number;
    try {
      fd = openSync(path, 'wx', PRIVATE_MODE);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw writeError(path, error);
    }
    try {
      this.#copy(start, Number.POSITIVE_INFINITY, (bytes) => writeFully(fd, bytes));
      adopt(fd, ownershipOf(this.#before));
      fsyncSync(fd);
    } catch (error) {
      remove(path);
      throw writeError(path, error);
    } finally {
      closeSync(fd);
    }
    syncFolder(dirname(path));
    return true;
  }

  /** Somebody who had the old file open may have written to it between our last look and the rename. */
  #saveLate(): void {
    const now = fstatSync(this.#fd, { bigint: true });
    const grew = now.size > this.#before.size;
    if (!grew && now.mtimeNs === this.#before.mtimeNs) return;
    const start = grew ? Number(this.#before.size) : 0;
    for (let number = 0; ; number++) {
      const path = `${this.path}.late${number === 0 ? '' : number}`;
      if (!this.#saveCopy(path, start)) continue;
      throw new AppError(
        grew
          ? `${this.#name}: was replaced, but ${grouped(Number(now.size) - start)} bytes were written to the old file at that moment; they are in ${path}; append them by hand`
          : `${this.#name}: was replaced, but the old file was changed at that moment; it is kept as ${path}; compare the two`,
      );
    }
  }

  #copy(start: number, end: number, write: (bytes: Buffer) => void): void {
    const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, end - start));
    let at = start;
    while (at < end) {
      const bytes = this.#readAt(buffer.subarray(0, Math.min(buffer.length, end - at)), at);
      if (bytes === 0) {
        if (end === Number.POSITIVE_INFINITY) return;
        throw new AppError(
          `${this.#name}: became shorter while it was being read, nothing was replaced; run again when no program is writing to it`,
        );
      }
      write(buffer.subarray(0, bytes));
      at += bytes;
    }
  }

  #readAt(buffer: Buffer, position: number): number {
    if (buffer.length === 0) return 0;
    try {
      return readSync(this.#fd, buffer, 0, buffer.length, position);
    } catch (error) {
      throw fileError(this.#name, error);
    }
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone already.
  }
}
