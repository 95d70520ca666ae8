import type { Readable } from 'node:stream';
import { systemTrouble } from '../base/trouble.ts';
import type { ByteStore } from '../log/byte-store.ts';
import { handleChunks, openForReading, openInput } from './input.ts';
import type { OpenFile } from './open-file.ts';
import { Spool } from './spool.ts';
import { type Random, requireRunning } from './temp.ts';

export interface StoreTools {
  readonly stdin: Readable;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** A file, or what comes from a pipe: that is copied to a private place on the disk while it is first read. */
export async function openStore(name: string, tools: StoreTools): Promise<ByteStore> {
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
export function spoolStore(spool: Spool): ByteStore {
  return {
    size: spool.size,
    chunks: () => spool.chunks(),
    readAt: (buffer, position) => spool.readAt(buffer, position),
    close: async () => spool.close(),
  };
}

/** So few bytes are there sooner than another thread would have heard that they are wanted. */
const SMALL_READ = 64 * 1024;
/** But behind so many of those in a row, signals get their turn. */
const MOST_SMALL_READS = 256;

class FileStore implements ByteStore {
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

  async *chunks(): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of handleChunks(this.#handle, this.#name)) {
      requireRunning(this.#signal);
      yield chunk;
    }
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

class SpooledStore implements ByteStore {
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

  async readAt(buffer: Buffer, position: number): Promise<number> {
    return await this.#spool.readAt(buffer, position);
  }

  async close(): Promise<void> {
    this.#spool.close();
    await this.#closeSource();
  }
}
