import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ByteStore } from '../log/byte-store.ts';
import { AppError, fileError } from '../util/errors.ts';
import { handleChunks, openForReading, openInput, readInto } from './input.ts';
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
    throw fileError(name, error);
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

class FileStore implements ByteStore {
  readonly size: number;
  readonly #name: string;
  readonly #handle: FileHandle;
  readonly #signal: AbortSignal;

  constructor(name: string, size: number, handle: FileHandle, signal: AbortSignal) {
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
    let filled = 0;
    try {
      while (filled < buffer.length) {
        requireRunning(this.#signal);
        const bytes = await readInto(this.#handle, buffer.subarray(filled), position + filled);
        if (bytes === 0) break;
        filled += bytes;
      }
    } catch (error) {
      throw error instanceof AppError ? error : fileError(this.#name, error);
    }
    return filled;
  }

  async close(): Promise<void> {
    await this.#handle.close();
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
