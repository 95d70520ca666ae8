import type { Readable } from 'node:stream';
import { systemTrouble } from '../base/trouble.ts';
import { handleChunks, openForReading, openInput } from './input.ts';
import type { OpenFile } from './open-file.ts';
import { Spool } from './spool.ts';
import { type Random, requireRunning } from './temp.ts';

/** Bytes that can be read again, and from any place. */
export interface Store {
  /** In bytes, when it was opened; undefined for what comes from a pipe. */
  readonly size: number | undefined;
  /** From the start to the end. A chunk's memory is used again for the next one. */
  chunks(): AsyncIterable<Buffer>;
  /** The same bytes, into memory of the caller's; at the end it gives 0. */
  sequence(): { read(buffer: Buffer): Promise<number> };
  /** Fills the buffer from a position on; fewer bytes only at the end. */
  readAt(buffer: Buffer, position: number): Promise<number>;
  /** The same without waiting, where few bytes are wanted and they are at hand; undefined where `readAt` is to be asked. */
  readNow?(buffer: Buffer, position: number): number | undefined;
  close(): Promise<void>;
}

export interface StoreTools {
  readonly stdin: Readable;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** A file, or what comes from a pipe: that is copied to a private place on the disk while it is first read. */
export async function openStore(name: string, tools: StoreTools): Promise<Store> {
  if (name === '-') return new SpooledStore(openInput('-', tools.stdin).chunks, tools, async () => {});
  const handle = await openForReading(name);
  try {
    const facts = await handle.stat();
    if (facts.isFile()) return new FileStore(name, facts.size, handle, tools.signal);
  } catch (error) {
    await handle.close();
    throw systemTrouble(name, error);
  }
  return new SpooledStore(handleChunks(handle, name), tools, () => handle.close());
}

/** What was written to a spool, which goes with the store. */
export function spoolStore(spool: Spool): Store {
  return {
    size: spool.size,
    chunks: () => spool.chunks(),
    sequence: () => new Sequence((buffer, position) => spool.readAt(buffer, position)),
    readAt: (buffer, position) => spool.readAt(buffer, position),
    close: async () => spool.close(),
  };
}

class Sequence {
  readonly #readAt: (buffer: Buffer, position: number) => Promise<number>;
  #position = 0;

  constructor(readAt: (buffer: Buffer, position: number) => Promise<number>) {
    this.#readAt = readAt;
  }

  async read(buffer: Buffer): Promise<number> {
    const bytes = await this.#readAt(buffer, this.#position);
    this.#position += bytes;
    return bytes;
  }
}

/** So few bytes are there sooner than another thread would have heard that they are wanted. */
const SMALL_READ = 64 * 1024;
/** But behind so many of those in a row, signals get their turn. */
const MOST_SMALL_READS = 256;

class FileStore implements Store {
  readonly size: number;
  readonly #name: string;
  readonly #handle: OpenFile;
  readonly #signal: AbortSignal;
  #smallReads = 0;

  constructor(name: string, size: number, handle: OpenFile, signal: AbortSignal) {
    this.size = size;
    this.#name = name;
    this.#handle = handle;
    this.#signal = signal;
  }

  chunks(): AsyncGenerator<Buffer, void, void> {
    return handleChunks(this.#handle, this.#name);
  }

  sequence(): Sequence {
    return new Sequence((buffer, position) => this.#read(buffer, position));
  }

  async readAt(buffer: Buffer, position: number): Promise<number> {
    const now = this.readNow(buffer, position);
    if (now !== undefined) return now;
    this.#smallReads = 0;
    let filled = 0;
    while (filled < buffer.length) {
      const bytes = await this.#read(filled === 0 ? buffer : buffer.subarray(filled), position + filled);
      if (bytes === 0) break;
      filled += bytes;
    }
    return filled;
  }

  readNow(buffer: Buffer, position: number): number | undefined {
    if (buffer.length > SMALL_READ || this.#smallReads >= MOST_SMALL_READS) return undefined;
    this.#smallReads++;
    let filled = 0;
    while (filled < buffer.length) {
      const bytes = this.#readHere(filled === 0 ? buffer : buffer.subarray(filled), position + filled);
      if (bytes === 0) break;
      filled += bytes;
    }
    return filled;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  #readHere(buffer: Buffer, position: number): number {
    requireRunning(this.#signal);
    try {
      return this.#handle.readNow(buffer, position);
    } catch (error) {
      throw systemTrouble(this.#name, error);
    }
  }

  #read(buffer: Buffer, position: number): Promise<number> {
    requireRunning(this.#signal);
    const reading = this.#handle.read(buffer, 0, buffer.length, position).catch((error: unknown) => {
      throw systemTrouble(this.#name, error);
    });
    // What is read ahead may fail before anybody waits for it.
    reading.catch(() => {});
    return reading;
  }
}

class SpooledStore implements Store {
  readonly size = undefined;
  readonly #spool: Spool;
  readonly #closeSource: () => Promise<void>;
  #source: AsyncIterable<Buffer> | undefined;

  constructor(source: AsyncIterable<Buffer>, tools: StoreTools, closeSource: () => Promise<void>) {
    this.#spool = new Spool(tools.random, tools.signal);
    this.#source = source;
    this.#closeSource = closeSource;
  }

  async *chunks(): AsyncGenerator<Buffer, void, void> {
    const source = this.#source;
    if (source === undefined) {
      yield* this.#spool.chunks();
      return;
    }
    this.#source = undefined;
    for await (const chunk of source) {
      this.#spool.write(chunk);
      yield chunk;
    }
  }

  sequence(): { read(buffer: Buffer): Promise<number> } {
    if (this.#source === undefined) return new Sequence((buffer, position) => this.#spool.readAt(buffer, position));
    return new ChunkSequence(this.chunks());
  }

  async readAt(buffer: Buffer, position: number): Promise<number> {
    return await this.#spool.readAt(buffer, position);
  }

  async close(): Promise<void> {
    this.#spool.close();
    await this.#closeSource();
  }
}

/** Chunks, copied to where they are wanted. */
class ChunkSequence {
  readonly #chunks: AsyncGenerator<Buffer, void, void>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncGenerator<Buffer, void, void>) {
    this.#chunks = chunks;
  }

  async read(buffer: Buffer): Promise<number> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return 0;
      this.#rest = next.value;
    }
    const bytes = this.#rest.copy(buffer);
    this.#rest = this.#rest.subarray(bytes);
    return bytes;
  }
}
