import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { systemTrouble } from '../base/trouble.ts';
import { CHUNK_BYTES, handleChunks, openForReading, openInput } from './input.ts';
import { Spool } from './spool.ts';
import { type Random, requireRunning } from './temp.ts';

/** Bytes that can be read again, and from any place. */
export interface Store {
  /** In bytes, when it was opened; undefined for what comes from a pipe. */
  readonly size: number | undefined;
  /** From the start to the end. A chunk's memory is used again for the next one. */
  chunks(): AsyncIterable<Buffer>;
  /** Fills the buffer from a position on; fewer bytes only at the end. */
  readAt(buffer: Buffer, position: number): Promise<number>;
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
    readAt: (buffer, position) => spool.readAt(buffer, position),
    close: async () => spool.close(),
  };
}

class FileStore implements Store {
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

  /** While one chunk is looked at, the next is read. */
  async *chunks(): AsyncGenerator<Buffer, void, void> {
    let here = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    let ahead = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    let position = 0;
    let next = this.#read(here, position);
    try {
      for (;;) {
        const bytes = await next;
        requireRunning(this.#signal);
        if (bytes === 0) return;
        position += bytes;
        next = this.#read(ahead, position);
        yield here.subarray(0, bytes);
        [here, ahead] = [ahead, here];
      }
    } finally {
      // A read under way must not outlive the file.
      await next.catch(() => {});
    }
  }

  async readAt(buffer: Buffer, position: number): Promise<number> {
    requireRunning(this.#signal);
    let filled = 0;
    while (filled < buffer.length) {
      const bytes = await this.#read(filled === 0 ? buffer : buffer.subarray(filled), position + filled);
      if (bytes === 0) break;
      filled += bytes;
    }
    return filled;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  #read(buffer: Buffer, position: number): Promise<number> {
    const reading = this.#handle.read(buffer, 0, buffer.length, position).then(
      ({ bytesRead }) => bytesRead,
      (error: unknown) => {
        throw systemTrouble(this.#name, error);
      },
    );
    // A read ahead may fail before anybody waits for it.
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

  async readAt(buffer: Buffer, position: number): Promise<number> {
    return await this.#spool.readAt(buffer, position);
  }

  async close(): Promise<void> {
    this.#spool.close();
    await this.#closeSource();
  }
}
