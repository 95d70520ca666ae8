import { tmpdir } from 'node:os';
import type { ByteStore } from '../log/byte-store.ts';
import { AppError, errorCode, fileError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { attempt, readFully, remove, requireRunning, writeFully } from './disk.ts';
import { TempFile } from './temp.ts';

const CHUNK_BYTES = 1024 * 1024;
const MOST_IN_MEMORY = 8 * 1024 * 1024;
/** Less has no room for a long character. */
const LEAST_IN_MEMORY = 4096;
const encoder = new TextEncoder();

/**
 * A private place on the disk for bytes that have to be read more than once, such as those of a pipe. It loses its name
 * at once: whatever ends the program, nothing is left. A system that keeps the names of open files loses it at the end.
 */
export class Spool extends TempFile implements ByteStore {
  /** What comes behind the bytes that are here, and is kept as it is read. */
  source: AsyncIterator<Buffer, void> | undefined;
  readonly #folder: string;
  #size = 0;

  constructor(random: Io['random'], signal: AbortSignal, folder: string = tmpdir()) {
    super(folder, random, signal, 0o600, 'spool');
    this.#folder = folder;
    remove(this.path);
  }

  get size(): number {
    return this.#size;
  }

  override write(bytes: Uint8Array): void {
    requireRunning(this.signal);
    attempt(this.#folder, () => writeFully(this.fd, bytes, this.#size), spoolError);
    this.#size += bytes.length;
  }

  async readAt(buffer: Buffer, position: number): Promise<number> {
    requireRunning(this.signal);
    return attempt(this.#folder, () => readFully(this.fd, buffer, position));
  }

  async *chunks(): AsyncGenerator<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    for (let position = 0; ; ) {
      let chunk: Buffer | undefined = buffer.subarray(0, await this.readAt(buffer, position));
      if (chunk.length === 0) {
        chunk = (await this.source?.next())?.value ?? undefined;
        if (!chunk) return;
        this.write(chunk);
      }
      position += chunk.length;
      yield chunk;
    }
  }

  async close(): Promise<void> {
    this.discard();
    await this.source?.return?.();
  }
}

export function spoolError(folder: string, error: unknown): AppError {
  if (errorCode(error) !== 'ENOSPC') return fileError(folder, error);
  return new AppError(
    `${folder}: no space left for a temporary file; free some space, or set TMPDIR to another folder`,
  );
}

/** Text that is written before what comes in front of it is known: kept in memory, and on the disk once it is large. */
export class HeldOutput {
  readonly #newSpool: () => Spool;
  /** Texts are encoded at once: those that wait would keep alive the lines that they are pieces of. */
  readonly #memory: Buffer;
  #used = 0;
  #spool: Spool | undefined;

  constructor(random: Io['random'], signal: AbortSignal, most = MOST_IN_MEMORY) {
    this.#newSpool = () => new Spool(random, signal);
    this.#memory = Buffer.allocUnsafeSlow(Math.max(most, LEAST_IN_MEMORY));
  }

  write(text: string): void {
    for (let rest = text; ; ) {
      const { read, written } = encoder.encodeInto(rest, this.#memory.subarray(this.#used));
      this.#used += written;
      if (read === rest.length) return;
      rest = rest.slice(read);
      this.#toDisk();
    }
  }

  /** All of it, from the start, after the last write. */
  async *chunks(): AsyncGenerator<Buffer> {
    if (this.#spool) {
      this.#toDisk();
      // The spool uses the memory of a chunk again, and who takes it may keep it.
      for await (const chunk of this.#spool.chunks()) yield Buffer.from(chunk);
    }
    yield this.#memory.subarray(0, this.#used);
  }

  close(): void {
    this.#spool?.discard();
  }

  #toDisk(): void {
    this.#spool ??= this.#newSpool();
    this.#spool.write(this.#memory.subarray(0, this.#used));
    this.#used = 0;
  }
}
