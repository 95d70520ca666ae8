import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  createWriteStream,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Writable, type WritableOptions } from 'node:stream';
import type { Output } from '../base/output.ts';
import { errorCode, systemTrouble, Trouble, writeTrouble } from '../base/trouble.ts';
import { grouped } from '../base/words.ts';
import { requireRegular } from './input.ts';
import { adopt, type Ownership, type Random, requireRunning, syncFolder, TempFile, writeFully } from './temp.ts';

/** Where the output of a rewrite goes. Unless it streams, nothing is visible under the target's name before `commit`. */
export interface Sink {
  readonly stream: Output;
  /** Others see what is written as it comes: a pipe, a device, standard output. */
  readonly streams: boolean;
  /** Call once, after the last byte was written to the stream; tells whether the output differs from the input. */
  commit(): Promise<boolean>;
  /** Leaves no trace; does nothing after a commit. */
  discard(): void;
}

export interface SinkTools {
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** Standard output: nothing to commit, nothing to take back. */
export function toStream(stream: Output): Sink {
  return { stream, streams: true, commit: async () => true, discard: () => {} };
}

/** What a copy of a file's content may be given at most. */
export const PRIVATE_MODE = 0o600;

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
      throw systemTrouble(name, error);
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
    this.stream = streamInto(name, (parts) => this.#take(parts), { highWaterMark: COPY_BYTES });
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
      await this.#settled();
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

  async #take(parts: readonly Buffer[]): Promise<void> {
    requireRunning(this.#options.signal);
    let same = 0;
    while (!this.#differs && same < parts.length) {
      const part = parts[same] as Buffer;
      if (!this.#matches(part)) this.#begin();
      else {
        this.#written += part.length;
        same++;
      }
    }
    const rest = parts.slice(same);
    for (const part of rest) this.#written += part.length;
    await this.#temp?.append(rest);
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

  async #settled(): Promise<void> {
    try {
      await this.#temp?.settled();
    } catch (error) {
      throw writeTrouble(this.#name, error);
    }
  }

  #replace(): void {
    const temp = this.#temp;
    if (!temp) throw new Trouble(`${this.#name}: nothing was written`);
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
      throw error instanceof Trouble ? error : writeTrouble(this.#name, error);
    }
    this.#saveLate();
  }

  #requireUnchanged(): void {
    const now = fstatSync(this.#fd, { bigint: true });
    const grown = now.size !== this.#before.size || now.mtimeNs !== this.#before.mtimeNs;
    if (grown || !sameFile(this.path, this.#before)) {
      throw new Trouble(
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
          throw writeTrouble(path, error);
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
      throw writeTrouble(path, error);
    }
    try {
      this.#copy(start, Number.POSITIVE_INFINITY, (bytes) => writeFully(fd, bytes));
      adopt(fd, ownershipOf(this.#before));
      fsyncSync(fd);
    } catch (error) {
      remove(path);
      throw writeTrouble(path, error);
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
      throw new Trouble(
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
        throw new Trouble(
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
      throw systemTrouble(this.#name, error);
    }
  }
}

export interface ToFileOptions extends SinkTools {
  /** The input, so that it is not overwritten by its own output. */
  readonly input?: string | undefined;
  /** Whether the command has -i, which is then named to those who want to change the input. */
  readonly hasInPlace?: boolean;
  /** What a new file may be given at most; less where the umask says so. */
  readonly mode: number;
}

/** `-o FILE`: a regular file gets its new content all at once; a device or pipe is written to as the bytes come. */
export function toFile(name: string, options: ToFileOptions): Sink {
  let facts: BigIntStats | undefined;
  try {
    facts = statSync(name, { bigint: true });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw writeTrouble(name, error);
  }
  if (facts?.isDirectory()) throw new Trouble(`${name}: is a folder; pass a file`);
  if (facts?.isFile() && options.input !== undefined && sameFile(options.input, facts)) {
    const hint = options.hasInPlace === true ? 'use -i to change a file in place' : 'choose another file with -o';
    throw new Trouble(`${name}: is the input file itself; ${hint}`);
  }
  if (facts && !facts.isFile()) return new ToDevice(name);
  return new ToNewFile(name, facts, options);
}

class ToNewFile implements Sink {
  readonly stream: Writable;
  readonly streams = false;
  readonly #name: string;
  readonly #path: string;
  readonly #ownership: Ownership | undefined;
  readonly #temp: TempFile;

  constructor(name: string, existing: BigIntStats | undefined, options: ToFileOptions) {
    this.#name = name;
    this.#path = existing ? realpathSync(name) : behindFolderLinks(name);
    if (existing) requireWritable(name, this.#path);
    this.#ownership = existing ? ownershipOf(existing) : undefined;
    const temp = new TempFile(dirname(this.#path), options.random, options.signal, existing ? PRIVATE_MODE : options.mode & 0o666);
    this.#temp = temp;
    this.stream = streamInto(name, (parts) => temp.append(parts));
  }

  async commit(): Promise<boolean> {
    await ended(this.stream, this.#name);
    try {
      await this.#temp.settled();
      this.#temp.finish(this.#ownership);
      this.#temp.moveTo(this.#path);
      return true;
    } catch (error) {
      throw asTrouble(this.#name, error);
    } finally {
      this.discard();
    }
  }

  discard(): void {
    this.#temp.discard();
    this.stream.destroy();
  }
}

class ToDevice implements Sink {
  readonly stream: Writable;
  readonly streams = true;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
    const device = createWriteStream(name, { flags: 'w' });
    device.on('error', () => {});
    // A stream of its own, so that an error names the device.
    const then =
      (done: (error?: Error | null) => void) =>
      (error?: Error | null): void =>
        done(error ? asTrouble(name, error) : null);
    this.stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => device.write(chunk, then(done)),
      final: (done) => device.end(then(done)),
      destroy: (error, done) => {
        device.destroy();
        done(error);
      },
    });
    this.stream.on('error', () => {});
  }

  async commit(): Promise<boolean> {
    await ended(this.stream, this.#name);
    return true;
  }

  discard(): void {
    this.stream.destroy();
  }
}

/** A stream that hands on what it gets, as much as there is at once; its errors name the file. */
function streamInto(name: string, take: (parts: readonly Buffer[]) => Promise<void>, options: WritableOptions = {}): Writable {
  const hand = (parts: readonly Buffer[], done: (error?: Error) => void): void => {
    take(parts).then(
      () => done(),
      (error: unknown) => done(asTrouble(name, error)),
    );
  };
  const stream = new Writable({
    ...options,
    write: (chunk: Buffer, _encoding, done) => hand([chunk], done),
    writev: (chunks, done) =>
      hand(
        chunks.map(({ chunk }) => chunk as Buffer),
        done,
      ),
  });
  stream.on('error', () => {});
  return stream;
}

/** The file that a link leads to; the path itself where it is no link, or one that leads nowhere. */
export function behindLink(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() ? realpathSync(path) : path;
  } catch {
    return path;
  }
}

/** The name's folder without links, where the name itself is still free. */
function behindFolderLinks(name: string): string {
  try {
    const found = lstatSync(name, { throwIfNoEntry: false });
    if (found) throw new Trouble(`${name}: is a broken symbolic link; remove it or choose another file`);
    return join(realpathSync(dirname(name)), basename(name));
  } catch (error) {
    throw asTrouble(name, error);
  }
}

function requireWritable(name: string, path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw writeTrouble(name, error);
    throw new Trouble(`${name}: is read-only; make it writable first, or write elsewhere with -o`);
  }
}

async function ended(stream: Writable, name: string): Promise<void> {
  await new Promise<void>((done, fail) => {
    if (stream.errored) {
      fail(asTrouble(name, stream.errored));
      return;
    }
    stream.once('error', (error) => fail(asTrouble(name, error)));
    stream.end(() => done());
  });
}

function sameFile(path: string, facts: BigIntStats): boolean {
  try {
    const other = statSync(path, { bigint: true });
    return other.dev === facts.dev && other.ino === facts.ino;
  } catch {
    return false;
  }
}

function ownershipOf(facts: BigIntStats): Ownership {
  return { mode: Number(facts.mode) & 0o7777, uid: Number(facts.uid), gid: Number(facts.gid) };
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone already.
  }
}

function asTrouble(name: string, error: unknown): Error {
  const code = errorCode(error);
  if (error instanceof Trouble || code === 'EPIPE') return error as Error;
  return writeTrouble(name, error);
}
