import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import { AppError, fileError } from '../util/errors.ts';
import { inThread } from './thread-wait.ts';

export const CHUNK_BYTES = 1024 * 1024;

/** Bytes to read, with the name that messages use for them. */
export interface Input {
  /** The path as the user gave it, '-' for stdin. */
  readonly name: string;
  /** Undefined for stdin. */
  readonly path: string | undefined;
  /** A chunk's memory may be used again for the next one: copy what you keep. */
  readonly chunks: AsyncIterable<Buffer>;
}

/** A file, or stdin for '-'. A file that cannot be opened or is a folder is told when the reading starts. */
export function openInput(name: string, stdin: Readable): Input {
  if (name === '-') return { name, path: undefined, chunks: streamChunks(stdin) };
  return { name, path: name, chunks: fileChunks(name) };
}

async function* streamChunks(stream: Readable): AsyncGenerator<Buffer, void, void> {
  try {
    for await (const chunk of stream) {
      if (typeof chunk === 'string') yield Buffer.from(chunk, 'utf8');
      else if (chunk instanceof Uint8Array) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    }
  } catch (error) {
    throw fileError('stdin', error);
  }
}

export interface FileChunksOptions {
  readonly start?: number;
  readonly chunkBytes?: number;
}

/** The bytes of a file from a position on. Regular files, FIFOs and devices alike. */
export async function* fileChunks(path: string, options: FileChunksOptions = {}): AsyncGenerator<Buffer, void, void> {
  const small = options.start === undefined && options.chunkBytes === undefined ? readWhole(path) : undefined;
  if (small) {
    if (small.length > 0) yield small;
    return;
  }
  const handle = await openForReading(path);
  try {
    yield* handleChunks(handle, path, options);
  } finally {
    await handle.close();
  }
}

/**
 * A regular file of at most a chunk, whole; undefined for anything else, which is then read in its own way. Waiting for
 * the disk here costs less than asking another thread to wait six times. Whoever reads many of them one after the other
 * gives the memory for it, CHUNK_BYTES.
 */
export function readWhole(path: string, memory?: Buffer): Buffer | undefined {
  try {
    const facts = statSync(path);
    if (!facts.isFile() || facts.size >= CHUNK_BYTES) return undefined;
    // Should it have become a pipe meanwhile, opening it must not wait for a writer.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const wanted = facts.size + 1;
      const buffer = memory ?? Buffer.allocUnsafe(wanted);
      let length = 0;
      while (length < wanted) {
        const read = readSync(fd, buffer, length, wanted - length, length);
        if (read === 0) return buffer.subarray(0, length);
        length += read;
      }
      // It has grown since.
      return undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

export async function* handleChunks(
  handle: FileHandle,
  path: string,
  options: FileChunksOptions = {},
): AsyncGenerator<Buffer, void, void> {
  const make = (): Buffer => Buffer.allocUnsafeSlow(options.chunkBytes ?? CHUNK_BYTES);
  let position = options.start ?? 0;
  let reading: Promise<number> | undefined;
  try {
    if (!(await handle.stat()).isFile()) {
      yield* streamedChunks(handle, make());
      return;
    }
    // The disk fills one buffer while the other one is worked on.
    const buffers = [make(), make()];
    let turn = 0;
    let buffer = buffers[0] as Buffer;
    reading = readAhead(handle, buffer, position);
    for (;;) {
      const bytesRead = await reading;
      if (bytesRead === 0) return;
      position += bytesRead;
      const filled = buffer;
      turn = (turn + 1) % buffers.length;
      buffer = buffers[turn] as Buffer;
      reading = readAhead(handle, buffer, position);
      yield filled.subarray(0, bytesRead);
    }
  } catch (error) {
    throw error instanceof AppError ? error : fileError(path, error);
  } finally {
    // The file must not be closed, nor the memory be let go, while a read is under way.
    await reading?.catch(() => {});
  }
}

function readAhead(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  const reading = readInto(handle, buffer, position);
  // Whoever waits for it hears of an error; nobody waits after the last chunk that was wanted.
  reading.catch(() => {});
  return reading;
}

/** Bytes into the buffer, from a position or, where that is null, from where the last reading ended; 0 at the end. */
export async function readInto(handle: FileHandle, buffer: Buffer, position: number | null): Promise<number> {
  return (await inThread(handle.read(buffer, 0, buffer.length, position))).bytesRead;
}

/** Pipes and devices have no positions, and are read only when more is wanted. */
async function* streamedChunks(handle: FileHandle, buffer: Buffer): AsyncGenerator<Buffer, void, void> {
  for (;;) {
    const bytesRead = await readInto(handle, buffer, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

export async function openForReading(path: string): Promise<FileHandle> {
  try {
    const handle = await inThread(open(path, constants.O_RDONLY));
    const facts = await handle.stat();
    if (facts.isDirectory()) {
      await handle.close();
      throw isFolderError(path);
    }
    return handle;
  } catch (error) {
    throw error instanceof AppError ? error : fileError(path, error);
  }
}

/** Refuses what cannot be changed in place, without opening it. */
export async function requireRegularFile(path: string): Promise<void> {
  try {
    requireRegular(path, await stat(path));
  } catch (error) {
    throw error instanceof AppError ? error : fileError(path, error);
  }
}

/** The same by what is known of it. */
export function requireRegular(path: string, facts: { isDirectory(): boolean; isFile(): boolean }): void {
  if (facts.isDirectory()) throw isFolderError(path);
  if (!facts.isFile()) throw new AppError(`${path}: is not a regular file; only a file can be changed in place`);
}

function isFolderError(path: string): AppError {
  return new AppError(`${path}: is a folder; pass a file`);
}

/** Who may read and write a file, as its copies are to have it at most. */
export async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    throw fileError(path, error);
  }
}

/** True for a folder, false for anything else that is there. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw fileError(path, error);
  }
}

const MOST_SMALL_BYTES = 1024 * 1024;

/** The text of a file that somebody wrote by hand, such as a configuration; a large one is refused. */
export async function readSmallFile(path: string): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of fileChunks(path)) {
    size += chunk.length;
    if (size > MOST_SMALL_BYTES)
      throw new AppError(`${path}: is over 1 MiB, which is far too large for such a file; check the name`);
    parts.push(Buffer.from(chunk));
  }
  return Buffer.concat(parts).toString('utf8');
}

export async function isThere(path: string | URL): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

/** How many threads may run at once. */
export function cores(): number {
  return availableParallelism();
}

/** How much there is to read of a file; 0 for pipes, devices and what is not there. */
export async function sizeOf(path: string): Promise<number> {
  try {
    const facts = await stat(path);
    return facts.isFile() ? facts.size : 0;
  } catch {
    return 0;
  }
}
