import { write } from 'node:fs';
import { tmpdir } from 'node:os';
import { type ByteStore, SCRATCH_BYTES } from '../log/byte-store.ts';
import { AppError, errorCode, fileError } from '../util/errors.ts';
import type { Io } from '../util/io.ts';
import { readMemory } from '../util/memory.ts';
import { attempt, readFully, remove, requireRunning, writeFully } from './disk.ts';
import { TempFile } from './temp.ts';

const CHUNK_BYTES = 1024 * 1024;
const MOST_IN_MEMORY = 8 * 1024 * 1024;
/** How many writes may be under way. */
const MOST_UNDER_WAY = 4;
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
  #underWay = 0;
  /** Memory of writes that have ended. */
  readonly #free: Buffer[] = [];
  #failure: unknown;
  #onSettled: (() => void) | undefined;
  #isDiscarded = false;

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

  /**
   * The same while the program goes on: nothing may be read before `settled`. Takes the memory of the bytes, and gives
   * other memory of that size. Memory of another size than SCRATCH_BYTES is written at once.
   */
  writeBehind(memory: Buffer, length: number): Buffer {
    if (this.#failure !== undefined) throw spoolError(this.#folder, this.#failure);
    if (this.#underWay === MOST_UNDER_WAY || memory.length !== SCRATCH_BYTES) {
      this.write(memory.subarray(0, length));
      return memory;
    }
    requireRunning(this.signal);
    const position = this.#size;
    this.#size += length;
    this.#underWay++;
    write(this.fd, memory, 0, length, position, (error, written) => {
      this.#underWay--;
      try {
        if (error) throw error;
        writeFully(this.fd, memory.subarray(written, length), position + written);
      } catch (failure) {
        this.#failure ??= failure;
      }
      this.#free.push(memory);
      if (this.#underWay > 0) return;
      if (this.#isDiscarded) super.discard();
      this.#onSettled?.();
    });
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  }

  async settled(): Promise<void> {
    if (this.#underWay > 0)
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve;
      });
    if (this.#failure !== undefined) throw spoolError(this.#folder, this.#failure);
  }

  override discard(): void {
    // A write that is under way must not get to another file that is opened in the place of this one.
    this.#isDiscarded = true;
    if (this.#underWay === 0) super.discard();
  }

  async readAt(buffer: Buffer, position: number): Promise<number> {
    requireRunning(this.signal);
    return attempt(this.#folder, () => readFully(this.fd, buffer, position));
  }

  async *chunks(): AsyncGenerator<Buffer> {
    const buffer = readMemory(CHUNK_BYTES);
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
  #memory: Buffer;
  #used = 0;
  #spool: Spool | undefined;

  constructor(random: Io['random'], signal: AbortSignal, most = MOST_IN_MEMORY) {
    this.#newSpool = () => new Spool(random, signal);
    this.#memory = Buffer.allocUnsafeSlow(most);
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
      await this.#spool.settled();
      // The spool uses the memory of a chunk again, and who takes it may keep it.
      for await (const chunk of this.#spool.chunks()) yield Buffer.from(chunk);
    }
    yield this.#memory.subarray(0, this.#used);
  }

  close(): void {
    this.#spool?.discard();
  }

  #toDisk(): void {
    const isFirst = this.#spool === undefined;
    this.#spool ??= this.#newSpool();
    const memory = this.#spool.writeBehind(this.#memory, this.#used);
    this.#memory = isFirst ? Buffer.allocUnsafeSlow(SCRATCH_BYTES) : memory;
    this.#used = 0;
  }
}
