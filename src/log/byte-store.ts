import type { Cutting } from '../formats/cut-lines.ts';
import type { CountedLines, LogDatabase } from '../formats/format.ts';
import { readMemory } from '../util/memory.ts';

/** Where the bytes of a log are: they can be read again, and from any place. */
export interface ByteStore {
  /** In bytes, when it was opened; undefined for what comes from a pipe. */
  readonly size?: number | undefined;
  /** From the start to the end. A chunk's memory is used again for the next one. */
  chunks(): AsyncIterable<Buffer>;
  /** Fills the buffer from a position on; fewer bytes only at the end. */
  readAt(buffer: Buffer, position: number): Promise<number>;
  /** Of a database, whose bytes are a line that names its tables. */
  readonly database?: LogDatabase | undefined;
  /** Its lines, cut and counted by another thread, where that is worth it; `onBytes` is called with the bytes read. */
  readAhead?(cutting: Cutting, onBytes: (bytes: number) => void): Promise<CountedLines | undefined>;
  close(): Promise<void>;
}

/** How much is written to a scratch at once: to start a write takes longer than to copy 100 KB. */
export const SCRATCH_BYTES = 1024 * 1024;

/** A place for bytes that become a store. */
export interface Scratch {
  /** Takes bytes, together with their memory; gives other memory of that size. */
  write(memory: Buffer, length: number): Buffer;
  store(): Promise<ByteStore>;
  /** Only where it does not become a store. */
  discard(): void;
}

/** Bytes that can be read from any place; the FileHandle of node:fs/promises is such a thing. */
export interface RandomAccess {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

/** Works with what was opened, and closes it where the work fails. */
export async function closedOnError<Result>(
  opened: Pick<ByteStore, 'close'> | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await opened?.close();
    throw error;
  }
}

/** Copies the chunks, because their memory may be reused. */
export async function copyOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const chunk of chunks) pieces.push(Buffer.from(chunk));
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}

/**
 * The start of a large file that is not JSONL by its looks: text, or a first line that is longer than any usual one.
 * Undefined for any other file.
 */
export async function documentStart(store: Pick<ByteStore, 'chunks' | 'size'>): Promise<Buffer | undefined> {
  if (store.size !== undefined && store.size < CHUNK) return undefined;
  let start = Buffer.alloc(0);
  for await (const chunk of store.chunks()) {
    start = Buffer.concat([start, chunk]);
    if (chunk.includes(0x0a)) return isText(start) ? start : undefined;
    if (start.length >= CHUNK) return start;
  }
  return undefined;
}

/** Neither an object nor a list comes first. */
function isText(bytes: Buffer): boolean {
  return /^(?:\u00ef\u00bb\u00bf)?\s*[^\s[{\u00ef]/.test(bytes.toString('latin1', 0, 4096));
}

/** Bytes in memory, read as a file is. */
export function inMemory(bytes: Buffer): ByteStore {
  return {
    size: bytes.length,
    async *chunks() {
      if (bytes.length > 0) yield bytes;
    },
    readAt: async (buffer, position) => (position < bytes.length ? bytes.copy(buffer, 0, position) : 0),
    close: async () => {},
  };
}

const CHUNK = 1024 * 1024;

/** A file stays open when the store is closed: it is the caller's. */
export function storeOf(source: RandomAccess): ByteStore {
  const readAt = async (buffer: Buffer, position: number): Promise<number> => {
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await source.read(buffer, filled, buffer.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  };
  return {
    async *chunks() {
      const buffer = readMemory(CHUNK);
      for (let at = 0, bytes = CHUNK; bytes === CHUNK; at += bytes) {
        bytes = await readAt(buffer, at);
        if (bytes > 0) yield buffer.subarray(0, bytes);
      }
    },
    readAt,
    close: async () => {},
  };
}

/** A place in memory. */
export function memoryScratch(): Scratch {
  const pieces: Buffer[] = [];
  return {
    write: (memory, length) => {
      pieces.push(Buffer.from(memory.subarray(0, length)));
      return memory;
    },
    store: async () => inMemory(Buffer.concat(pieces)),
    discard: () => {},
  };
}

/** The same store for one of several readers, which must not close it. */
export function keptOpen(store: ByteStore): ByteStore {
  return {
    get size() {
      return store.size;
    },
    chunks: () => store.chunks(),
    readAt: (buffer, position) => store.readAt(buffer, position),
    database: store.database,
    close: async () => {},
  };
}

/** A store with some bytes in front of it. */
export function withHead(head: Buffer, store: ByteStore): ByteStore {
  return {
    size: store.size === undefined ? undefined : head.length + store.size,
    async *chunks() {
      yield head;
      yield* store.chunks();
    },
    readAt: async (buffer, position) => {
      const copied = head.copy(buffer, 0, Math.min(position, head.length));
      return copied + (await store.readAt(buffer.subarray(copied), Math.max(0, position - head.length)));
    },
    close: () => store.close(),
  };
}
