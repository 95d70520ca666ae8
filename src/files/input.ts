import { close, closeSync, constants, fstatSync, open, openSync, read, readSync, type Stats, statSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { promisify } from 'node:util';
import type { ByteStore } from '../log/byte-store.ts';
import { AppError, fileError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { readMemory } from '../util/memory.ts';
import { attempt, readFully, requireRunning, tryOr, withFile } from './disk.ts';
import { Spool } from './spool.ts';
import { inThread } from './system.ts';

export const CHUNK_BYTES = 1024 * 1024;
const SMALL_READ = 64 * 1024;
/** A smaller file is read before another thread has started. */
const WORTH_A_THREAD = 32 * 1024 * 1024;
/** Instead of node:fs/promises, which takes a while to load. */
const calls = { open: promisify(open), read: promisify(read), close: promisify(close) };

/** The bytes of a file, or of stdin for '-'. A chunk's memory may be used again: copy what you keep. */
export function inputChunks(name: string, io: Pick<Io, 'stdin' | 'signal'>): AsyncGenerator<Buffer> {
  return name === '-' ? stdinChunks(io) : fileChunks(name);
}

async function* stdinChunks({ stdin, signal }: Pick<Io, 'stdin' | 'signal'>): AsyncGenerator<Buffer> {
  try {
    // A stop takes effect while the next chunk is awaited.
    for await (const chunk of addAbortSignal(signal, stdin)) yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
  } catch (error) {
    requireRunning(signal);
    throw fileError('stdin', error);
  }
}

/** Regular files, FIFOs and devices alike. */
export async function* fileChunks(path: string): AsyncGenerator<Buffer> {
  const fd = await opened(path);
  try {
    yield* chunksOf(fd, path);
  } finally {
    await calls.close(fd);
  }
}

async function opened(path: string): Promise<number> {
  if ((await factsOf(path)).isDirectory()) throw isFolderError(path);
  return await inThread(calls.open(path, constants.O_RDONLY)).catch(failing(path));
}

/**
 * A regular file that fits into the memory, whole; undefined for any other. For many files it is faster than chunks.
 */
export function readWhole(path: string, memory: Buffer): Buffer | undefined {
  return tryOr(undefined, () => {
    const facts = statSync(path);
    const { size } = facts;
    if (!facts.isFile() || size >= memory.length) return undefined;
    // Should it have become a pipe meanwhile, opening it must not wait for a writer.
    return withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, (fd) => {
      const buffer = memory.subarray(0, size + 1);
      const length = readFully(fd, buffer, 0);
      // A full buffer means that it has grown since.
      return length > size ? undefined : buffer.subarray(0, length);
    });
  });
}

/**
 * A regular file is read by this thread: on many systems it takes longer to wake another one than to read a chunk.
 * A pipe may have to be waited for.
 */
async function* chunksOf(fd: number, path: string): AsyncGenerator<Buffer> {
  const isFile = fstatSync(fd).isFile();
  const buffer = readMemory(CHUNK_BYTES);
  try {
    for (let position = 0; ; ) {
      const bytes = isFile ? readSync(fd, buffer, 0, CHUNK_BYTES, position) : await readNext(fd, buffer);
      if (bytes === 0) return;
      position += bytes;
      yield buffer.subarray(0, bytes);
      if (bytes === CHUNK_BYTES) await nextTurn();
    }
  } catch (error) {
    throw fileError(path, error);
  }
}

/** Bytes of a pipe, where the last reading ended; 0 at the end. */
async function readNext(fd: number, buffer: Buffer): Promise<number> {
  return (await inThread(calls.read(fd, buffer, 0, buffer.length, null))).bytesRead;
}

/** Lets signals and the progress have their turn. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

/** What can be read again, and the file that has it. */
export interface Source extends ByteStore {
  readonly fd: number;
}

/** A file, or what comes from a pipe: that is copied to a private place on the disk while it is first read. */
export async function openStore(name: string, io: Pick<Io, 'stdin' | 'random' | 'signal'>): Promise<Source> {
  const facts = name === '-' ? undefined : await factsOf(name);
  if (facts?.isDirectory()) throw isFolderError(name);
  if (!facts?.isFile()) {
    const spool = new Spool(io.random, io.signal);
    spool.source = inputChunks(name, io);
    return spool;
  }
  const fd = attempt(name, () => openSync(name, constants.O_RDONLY | constants.O_NONBLOCK));
  const readAt = async (buffer: Buffer, position: number): Promise<number> => {
    requireRunning(io.signal);
    if (buffer.length > SMALL_READ) await nextTurn();
    return attempt(name, () => readFully(fd, buffer, position));
  };
  let isOpen = true;
  const close = async (): Promise<void> => {
    // The number may be that of another file by now.
    if (!isOpen) return;
    isOpen = false;
    closeSync(fd);
  };
  const readAhead: Source['readAhead'] = async (cutting, onBytes) => {
    if (facts.size < WORTH_A_THREAD) return undefined;
    const ahead = await import('./read-ahead.ts');
    return await ahead.readAhead({ fd, name, cutting }, io.signal, onBytes);
  };
  return { fd, size: facts.size, chunks: () => chunksOf(fd, name), readAt, readAhead, close };
}

/** The same chunks, counted for the progress, until the user stops the program. */
export function abortable(chunks: AsyncIterable<Buffer>, io: Pick<Io, 'signal' | 'progress'>): AsyncGenerator<Buffer> {
  return counting(chunks, (bytes) => {
    requireRunning(io.signal);
    io.progress.read(bytes);
  });
}

/** The same chunks, with their lengths handed on as they pass. */
export async function* counting<Chunk extends Uint8Array>(
  chunks: AsyncIterable<Chunk>,
  onBytes: ((bytes: number) => void) | undefined,
): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) {
    onBytes?.(chunk.length);
    yield chunk;
  }
}

/** What the system knows of a file that is there. */
export async function factsOf(path: string): Promise<Stats> {
  return attempt(path, () => statSync(path));
}

function failing(path: string): (error: unknown) => never {
  return (error) => {
    throw fileError(path, error);
  };
}

function isFolderError(path: string): AppError {
  return new AppError(`${path}: is a folder; pass a file, such as one that 'sessionctl ls' lists`);
}

/** Refuses what is no input, or cannot be changed in place. */
export function requireInput(path: string, facts: Stats, inPlace: boolean): void {
  if (facts.isDirectory()) throw isFolderError(path);
  if (inPlace && !facts.isFile())
    throw new AppError(`${path}: is not a regular file; only a file can be changed in place`);
}

/** Who may read and write a file, as its copies are to have it at most. */
export async function modeOf(path: string): Promise<number> {
  return (await factsOf(path)).mode & 0o777;
}

/** True for a folder, false for anything else that is there. */
export async function isFolder(path: string): Promise<boolean> {
  return (await factsOf(path)).isDirectory();
}

export async function isThere(path: string): Promise<boolean> {
  return tryOr(undefined, () => statSync(path)) !== undefined;
}

/** How much there is to read of a file; 0 for pipes, devices and what is not there. */
export async function sizeOf(path: string): Promise<number> {
  const facts = tryOr(undefined, () => statSync(path));
  return facts?.isFile() ? facts.size : 0;
}

const MEBIBYTE = 1024 * 1024;

/** The text of a file written by hand, such as a configuration; a large one is refused. */
export async function readSmallFile(path: string, most = MEBIBYTE): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of fileChunks(path)) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > most)
      throw new AppError(
        `${path}: is over ${most / MEBIBYTE} MiB, which is far too large for such a file; check the name`,
      );
  }
  return bytes.toString('utf8');
}
