import { statSync } from 'node:fs';
import { type ByteStore, closedOnError } from '../log/byte-store.ts';
import { LogError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { counted } from '../util/words.ts';
import { readFully, tryOr, withFile } from './disk.ts';
import { openStore } from './input.ts';
import { Spool } from './spool.ts';
import { isPacked, PACKED_START, PIECE_BYTES, Unpacker } from './zstd.ts';

/** What SQLite puts in front of a database. */
const DATABASE_MAGIC = Buffer.from('SQLite format 3\0');
/** Enough bytes to recognize what a file is. */
const START_BYTES = DATABASE_MAGIC.length;

export function isDatabase(start: Buffer): boolean {
  return start.subarray(0, START_BYTES).equals(DATABASE_MAGIC);
}

type UnpackIo = Pick<Io, 'stdin' | 'random' | 'signal' | 'note'>;

/**
 * As `openStore`; what zstd has packed, as Codex does with logs that it has not used for long, is unpacked. Of an
 * SQLite database the store has one line, which names its tables, and the database itself.
 */
export async function openUnpacked(name: string, io: UnpackIo): Promise<ByteStore> {
  const store = await openPacked(name, io);
  return await closedOnError(store, async () => {
    if (!isDatabase(await startOf(store))) return store;
    const { openDatabase } = await import('./sqlite.ts');
    const from = store instanceof Spool ? { chunks: allOf(store) } : { path: name };
    const database = await openDatabase(name, from, io.signal);
    await store.close();
    return database;
  });
}

/** The first bytes; what comes from a pipe is waited for. */
async function startOf(store: ByteStore): Promise<Buffer> {
  const start = Buffer.alloc(START_BYTES);
  if (!(store instanceof Spool)) return start.subarray(0, await store.readAt(start, 0));
  // What is read of it stays.
  for await (const _ of store.chunks()) if (store.size >= START_BYTES) break;
  return start.subarray(0, await store.readAt(start, 0));
}

/** What a spool has and what comes behind it, which is not kept there as well. */
async function* allOf(spool: Spool): AsyncGenerator<Buffer> {
  const held = Buffer.alloc(spool.size);
  await spool.readAt(held, 0);
  yield held;
  for (let next = await spool.source?.next(); next?.value; next = await spool.source?.next()) yield next.value;
}

async function openPacked(name: string, io: UnpackIo): Promise<Spool | ByteStore> {
  const store = await openStore(name, io);
  if (store instanceof Spool) {
    const { source } = store;
    if (source) store.source = unpacked(name, { [Symbol.asyncIterator]: () => source }, io.note);
    return store;
  }
  const start = Buffer.alloc(PACKED_START);
  if ((await store.readAt(start, 0)) < PACKED_START || !isPacked(start)) return store;
  const spool = new Spool(io.random, io.signal);
  const chunks = unpacked(name, store.chunks(), io.note);
  const end = async (): Promise<IteratorResult<Buffer, void>> => {
    const ended = await chunks.return();
    await store.close();
    return ended;
  };
  spool.source = { next: () => chunks.next(), return: end };
  return spool;
}

/** Chunks that are a database; else the same chunks. */
export async function databaseIn(
  name: string,
  chunks: AsyncGenerator<Buffer, void>,
  signal: AbortSignal,
): Promise<{ readonly database: ByteStore } | { readonly chunks: AsyncGenerator<Buffer, void> }> {
  const bytes = unpacked(name, chunks);
  const first = await bytes.next();
  if (first.done) return { chunks: bytes };
  const all = chain(first.value, bytes);
  if (!isDatabase(first.value)) return { chunks: all };
  const { openDatabase } = await import('./sqlite.ts');
  return { database: await openDatabase(name, { chunks: all }, signal) };
}

/** Whether a file is a database, by its first bytes. A pipe is not opened: its writer would lose the reader. */
export function isDatabaseFile(path: string): boolean {
  const start = Buffer.alloc(START_BYTES);
  const isFile = tryOr(false, () => statSync(path).isFile());
  return isFile && tryOr(false, () => withFile(path, 'r', (fd) => readFully(fd, start, 0) > 0)) && isDatabase(start);
}

async function* chain(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield first;
  yield* rest;
}

/**
 * The same bytes where they are not packed. Of a damaged archive what can be unpacked; it ends with a line that is
 * torn, so that readers see that there was more.
 */
export async function* unpacked(
  name: string,
  chunks: AsyncIterable<Buffer>,
  note: Io['note'] = () => {},
): AsyncGenerator<Buffer, void> {
  /** The first bytes, until there are enough of them to recognize the file. */
  let start: Buffer | undefined = Buffer.alloc(0);
  let unpacker: Unpacker | undefined;
  for await (const chunk of chunks) {
    let bytes: Buffer = chunk;
    if (start) {
      bytes = Buffer.concat([start, chunk]);
      start = bytes.length < START_BYTES ? bytes : undefined;
      if (start) continue;
      if (isPacked(bytes)) unpacker = new Unpacker((await import('fzstd')).Decompress);
    }
    if (!unpacker) yield bytes;
    else
      for (let at = 0; at < bytes.length && unpacker.error === undefined; at += PIECE_BYTES)
        yield* unpacker.push(bytes.subarray(at, at + PIECE_BYTES), false);
    if (unpacker?.error !== undefined) break;
  }
  if (start && start.length > 0) yield start;
  if (!unpacker) return;
  yield* unpacker.push(Buffer.alloc(0), true);
  if (unpacker.error === undefined) return;
  if (unpacker.bytes === 0) throw new LogError(name, `cannot be unpacked: ${unpacker.error}; 'zstd -t' tests it`);
  note(
    `${name}: only its first ${counted(unpacker.bytes, 'byte')} can be unpacked: ${unpacker.error}; 'zstd -t' tests it`,
  );
  if (unpacker.endsLine) yield Buffer.from('{');
}
