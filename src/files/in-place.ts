import { type BigIntStats, fstatSync, fsyncSync, linkSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, errorCode, writeError } from '../util/errors.ts';
import type { Io, Output } from '../util/io.ts';
import { grouped } from '../util/words.ts';
import {
  adopt,
  attempt,
  createFile,
  isSameFile,
  ownershipOf,
  readFully,
  remove,
  requireRunning,
  syncFolder,
  writeFully,
} from './disk.ts';
import type { Source } from './input.ts';
import { outputInto, requireWritable, type Sink } from './sink.ts';
import { TempFile } from './temp.ts';

const COPY_BYTES = 1024 * 1024;

export interface InPlaceOptions {
  /** Keep the old content as FILE and this suffix, or the first free one with a number behind it. */
  readonly backupSuffix: string | undefined;
  /** Only find out whether anything would change. */
  readonly dryRun: boolean;
}

/**
 * What is to take the place of an open file. What is written is compared with the file as it comes: up to the first
 * difference there is no second file at all, and without a difference the file is never touched.
 */
export class InPlace implements Sink {
  readonly stream: Output;
  readonly streams = false;
  /** The file behind all links. */
  readonly #path: string;
  readonly #name: string;
  readonly #source: Source;
  readonly #before: BigIntStats;
  readonly #options: InPlaceOptions;
  readonly #io: Pick<Io, 'random' | 'signal' | 'note'>;
  #temp: TempFile | undefined;
  #written = 0;
  #differs = false;

  constructor(name: string, source: Source, options: InPlaceOptions, io: Pick<Io, 'random' | 'signal' | 'note'>) {
    this.#name = name;
    this.#path = options.dryRun ? name : attempt(name, () => realpathSync(name));
    this.#source = source;
    this.#before = fstatSync(source.fd, { bigint: true });
    this.#options = options;
    this.#io = io;
    if (!options.dryRun) requireWritable(name, this.#path);
    this.stream = outputInto(name, (bytes) => this.#take(bytes));
  }

  async commit(): Promise<boolean> {
    if (!this.#differs && this.#written < (this.#source.size ?? 0)) attempt(this.#name, () => this.#begin());
    if (this.#temp) this.#replace(this.#temp);
    return this.#differs;
  }

  discard(): void {
    this.#temp?.discard();
  }

  #take(bytes: Uint8Array): void {
    requireRunning(this.#io.signal);
    if (!this.#differs && !this.#matches(bytes)) this.#begin();
    this.#temp?.write(bytes);
    this.#written += bytes.length;
  }

  #matches(bytes: Uint8Array): boolean {
    const found = Buffer.allocUnsafe(bytes.length);
    return readFully(this.#source.fd, found, this.#written) === bytes.length && found.equals(bytes);
  }

  /** The first difference: from now on there is a second file, which starts as this one did. */
  #begin(): void {
    this.#differs = true;
    if (this.#options.dryRun) return;
    const temp = new TempFile(dirname(this.#path), this.#io.random, this.#io.signal);
    this.#temp = temp;
    if (this.#copy(0, this.#written, (bytes) => temp.write(bytes)) < this.#written)
      throw new AppError(
        `${this.#name}: became shorter while it was being read, nothing was replaced; run again when no program is writing to it`,
      );
  }

  #replace(temp: TempFile): void {
    const { backupSuffix } = this.#options;
    let backup: string | undefined;
    try {
      temp.finish(ownershipOf(this.#before));
      this.#requireUnchanged();
      if (backupSuffix !== undefined) backup = this.#backUp(backupSuffix);
      this.#requireUnchanged();
      if (this.#before.nlink > 1n)
        this.#io.note(`${this.#name}: has other names (hard links); those keep the old content`);
      temp.moveTo(this.#path);
    } catch (error) {
      // The backup is a promise about a rewrite that did not take place.
      if (backup !== undefined && isSameFile(this.#path, this.#before)) remove(backup);
      throw writeError(this.#name, error);
    }
    this.#saveLate();
  }

  #requireUnchanged(): void {
    const now = fstatSync(this.#source.fd, { bigint: true });
    const changed = now.size !== this.#before.size || now.mtimeNs !== this.#before.mtimeNs;
    if (changed || !isSameFile(this.#path, this.#before)) {
      throw new AppError(
        `${this.#name}: was changed by another program in the meantime, nothing was replaced; run again when no program is writing to it`,
      );
    }
  }

  /** The old content under another name. A hard link where that goes: there at once, whole and with the same mode. */
  #backUp(suffix: string): string {
    return this.#firstFree(suffix, (path) => {
      try {
        linkSync(this.#path, path);
        return true;
      } catch (error) {
        const code = errorCode(error) ?? '';
        if (code === 'EEXIST') return false;
        if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EACCES'].includes(code))
          return this.#saveCopy(path, 0);
        throw writeError(path, error);
      }
    });
  }

  /** The file's name with a suffix and a free number; `make` returns false if it is taken. */
  #firstFree(suffix: string, make: (path: string) => boolean): string {
    for (let number = 0; ; number++) {
      const path = `${this.#path}${suffix}${number === 0 ? '' : number}`;
      if (make(path)) return path;
    }
  }

  /** False where the name is taken. */
  #saveCopy(path: string, start: number): boolean {
    const isSaved = createFile(path, (fd) => {
      this.#copy(start, Number.POSITIVE_INFINITY, (bytes) => writeFully(fd, bytes));
      adopt(fd, ownershipOf(this.#before));
      fsyncSync(fd);
    });
    if (isSaved) syncFolder(dirname(path));
    return isSaved;
  }

  /** Somebody who had the old file open may have written to it between our last look and the rename. */
  #saveLate(): void {
    const now = fstatSync(this.#source.fd, { bigint: true });
    const grew = now.size > this.#before.size;
    if (!grew && now.mtimeNs === this.#before.mtimeNs) return;
    const start = grew ? Number(this.#before.size) : 0;
    const path = this.#firstFree('.late', (free) => this.#saveCopy(free, start));
    throw new AppError(
      grew
        ? `${this.#name}: was replaced, but ${grouped(Number(now.size) - start)} bytes were written to the old file at that moment; they are in ${path}; append them by hand`
        : `${this.#name}: was replaced, but the old file was changed at that moment; it is kept as ${path}; compare the two`,
    );
  }

  /** From the start to the end at most; gives where the copy ends. */
  #copy(start: number, end: number, write: (bytes: Buffer) => void): number {
    const buffer = Buffer.allocUnsafe(COPY_BYTES);
    for (let at = start; ; ) {
      const bytes = readFully(this.#source.fd, buffer.subarray(0, Math.min(COPY_BYTES, end - at)), at);
      if (bytes === 0) return at;
      write(buffer.subarray(0, bytes));
      at += bytes;
    }
  }
}
