import { type BigIntStats, constants, statSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ByteStore } from '../log/byte-store.ts';
import { AppError, fileError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { readFully, requireRunning, withFile } from './disk.ts';
import { Spool } from './spool.ts';
import { inThread } from './system.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * The bytes of a file, or of stdin for '-'. A file that cannot be opened or is a folder is refused when the reading
 * starts. A chunk's memory may be used again for the next one: copy what you keep.
 */
export function inputChunks(name: string, stdin: Readable): AsyncGenerator<Buffer, void, void> {
  return name === '-' ? streamChunks(stdin) : fileChunks(name);
}

async function* streamChunks(stream: Readable): AsyncGenerator<Buffer, void, void> {
  try {
    for await (const chunk of stream) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
  } catch (error) {
    throw fileError('stdin', error);
  }
}

/** Regular files, FIFOs and devices alike. */
export async function* fileChunks(path: string): AsyncGenerator<Buffer, void, void> {
  const source = await openSource(path);
  try {
    yield* source.chunks();
  } finally {
    await source.handle.close();
  }
}

/** A regular file of at most a chunk, whole; undefined for anything else. For many of them this is faster than chunks. */
export function readWhole(path: string): Buffer | undefined {
  try {
    const facts = statSync(path);
    const { size } = facts;
    if (!facts.isFile() || size >= CHUNK_BYTES) return undefined;
    // Should it have become a pipe meanwhile, opening it must not wait for a writer.
    return withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, (fd) => {
      const buffer = Buffer.allocUnsafe(size + 1);
      const length = readFully(fd, buffer, 0);
      // A full buffer means that it has grown since.
      return length > size ? undefined : buffer.subarray(0, length);
    });
  } catch {
    return undefined;
  }
}

/** An open file, pipe or device. */
export interface Source {
  readonly handle: FileHandle;
  readonly facts: BigIntStats;
  /** From the start, as often as wanted where it is a regular file. A chunk's memory is used again for the next one. */
  readonly chunks: () => AsyncGenerator<Buffer, void, void>;
}

export async function openSource(path: string): Promise<Source> {
  let handle: FileHandle | undefined;
  try {
    handle = await inThread(open(path, constants.O_RDONLY));
    const facts = await handle.stat({ bigint: true });
    if (facts.isDirectory()) throw isFolderError(path);
    const opened = handle;
    return { handle, facts, chunks: () => handleChunks(opened, path, facts.isFile()) };
  } catch (error) {
    await handle?.close();
    throw fileError(path, error);
  }
}

/** Of a regular file the disk fills one buffer while the other one is worked on; a pipe is read only when more is wanted. */
async function* handleChunks(handle: FileHandle, path: string, isFile: boolean): AsyncGenerator<Buffer, void, void> {
  const buffers = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)];
  let position = isFile ? 0 : null;
  let reading: Promise<number> | undefined;
  const read = (buffer: Buffer): Promise<number> => {
    const ahead = readInto(handle, buffer, position);
    // Whoever waits for it hears of an error; nobody waits after the last chunk that was wanted.
    ahead.catch(() => {});
    return ahead;
  };
  try {
    for (let turn = 0; ; turn = 1 - turn) {
      const buffer = buffers[turn] as Buffer;
      const bytes = await (reading ?? read(buffer));
      reading = undefined;
      if (bytes === 0) return;
      if (position !== null) {
        position += bytes;
        reading = read(buffers[1 - turn] as Buffer);
      }
      yield buffer.subarray(0, bytes);
    }
  } catch (error) {
    throw fileError(path, error);
  } finally {
    // The file must not be closed, nor the memory be let go, while a read is under way.
    await reading?.catch(() => {});
  }
}

/** Bytes into the buffer, from a position or, where that is null, from where the last reading ended; 0 at the end. */
async function readInto(handle: FileHandle, buffer: Buffer, position: number | null): Promise<number> {
  return (await inThread(handle.read(buffer, 0, buffer.length, position))).bytesRead;
}

/** A file, or what comes from a pipe: that is copied to a private place on the disk while it is first read. */
export async function openStore(name: string, io: Pick<Io, 'stdin' | 'random' | 'signal'>): Promise<ByteStore> {
  if (name === '-' || (await isPipe(name))) {
    const spool = new Spool(io.random, io.signal);
    spool.source = inputChunks(name, io.stdin);
    return spool;
  }
  const { handle, facts, chunks } = await openSource(name);
  const readAt = async (buffer: Buffer, position: number): Promise<number> => {
    requireRunning(io.signal);
    const bytes = await readInto(handle, buffer, position).catch(failing(name));
    if (bytes === 0 || bytes === buffer.length) return bytes;
    return bytes + (await readAt(buffer.subarray(bytes), position + bytes));
  };
  return { size: Number(facts.size), chunks, readAt, close: () => handle.close() };
}

async function isPipe(path: string): Promise<boolean> {
  const facts = await stat(path).catch(failing(path));
  return !facts.isFile() && !facts.isDirectory();
}

/** The same chunks, counted for the progress, but a stop is heard while the next one is waited for. */
export async function* abortable(
  chunks: AsyncIterable<Buffer>,
  { signal, progress }: Pick<Io, 'signal' | 'progress'>,
): AsyncGenerator<Buffer, void, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  let onAbort = (): void => {};
  const stopped = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
  });
  signal.addEventListener('abort', onAbort);
  let next: IteratorResult<Buffer> | undefined;
  try {
    for (;;) {
      requireRunning(signal);
      next = await Promise.race([iterator.next(), stopped]);
      if (!next) continue;
      if (next.done) return;
      progress.read(next.value.length);
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // What waits for its next chunk cannot be ended, and the program is about to end anyway.
    if (next) await iterator.return?.();
  }
}

/** The same chunks, with their lengths handed on as they pass. */
export async function* counting<Chunk extends Uint8Array>(
  chunks: AsyncIterable<Chunk>,
  onBytes: ((bytes: number) => void) | undefined,
): AsyncGenerator<Chunk, void, void> {
  for await (const chunk of chunks) {
    onBytes?.(chunk.length);
    yield chunk;
  }
}

/** Refuses what cannot be changed in place, without opening it. */
export async function requireRegularFile(path: string): Promise<void> {
  const facts = await stat(path).catch(failing(path));
  if (facts.isDirectory()) throw isFolderError(path);
  if (!facts.isFile()) throw new AppError(`${path}: is not a regular file; only a file can be changed in place`);
}

function isFolderError(path: string): AppError {
  return new AppError(`${path}: is a folder; pass a file`);
}

function failing(path: string): (error: unknown) => never {
  return (error) => {
    throw fileError(path, error);
  };
}

/** Who may read and write a file, as its copies are to have it at most. */
export async function modeOf(path: string): Promise<number> {
  return (await stat(path).catch(failing(path))).mode & 0o777;
}

/** True for a folder, false for anything else that is there. */
export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(failing(path))).isDirectory();
}

export async function isThere(path: string | URL): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/** How much there is to read of a file; 0 for pipes, devices and what is not there. */
export async function sizeOf(path: string): Promise<number> {
  const facts = await stat(path).catch(() => undefined);
  return facts?.isFile() ? facts.size : 0;
}

const MOST_SMALL_BYTES = 1024 * 1024;

/** The text of a file that somebody wrote by hand, such as a configuration; a large one is refused. */
export async function readSmallFile(path: string): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of fileChunks(path)) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > MOST_SMALL_BYTES)
      throw new AppError(`${path}: is over 1 MiB, which is far too large for such a file; check the name`);
  }
  return bytes.toString('utf8');
}
