import { closeSync, openSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, errorCode, fileError } from '../util/errors.ts';
import { CHUNK_BYTES } from './input.ts';
import { type Random, requireRunning, writeFully } from './temp.ts';

/**
 * A private place on the disk for bytes that have to be read more than once, such as those of a pipe. Nobody can guess
 * its name, and it loses it at once: whatever ends the program, nothing is left. Where a system does not remove names
 * of open files, the file goes when it is closed or when the signal aborts.
 */
export class Spool {
  readonly #folder: string;
  readonly #fd: number;
  readonly #signal: AbortSignal;
  readonly #remove = (): void => this.close();
  #path: string | undefined;
  #open = true;
  #size = 0;

  constructor(random: Random, signal: AbortSignal, folder: string = tmpdir()) {
    requireRunning(signal);
    this.#folder = folder;
    this.#signal = signal;
    const path = join(folder, `.sessionctl-${Buffer.from(random(16)).toString('hex')}.spool`);
    try {
      this.#fd = openSync(path, 'wx+', 0o600);
    } catch (error) {
      throw fileError(folder, error);
    }
    try {
      unlinkSync(path);
    } catch {
      this.#path = path;
    }
    signal.addEventListener('abort', this.#remove, { once: true });
  }

  get size(): number {
    return this.#size;
  }

  write(bytes: Uint8Array): void {
    requireRunning(this.#signal);
    try {
      writeFully(this.#fd, bytes, this.#size);
    } catch (error) {
      throw error instanceof AppError ? error : this.#asError(error);
    }
    this.#size += bytes.length;
  }

  /** Fills the buffer from a position on; fewer bytes only at the end. */
  async readAt(buffer: Buffer, position: number): Promise<number> {
    requireRunning(this.#signal);
    let filled = 0;
    try {
      while (filled < buffer.length) {
        const bytes = readSync(this.#fd, buffer, filled, buffer.length - filled, position + filled);
        if (bytes === 0) break;
        filled += bytes;
      }
    } catch (error) {
      throw this.#asError(error);
    }
    return filled;
  }

  async *chunks(): AsyncGenerator<Buffer, void, void> {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    let position = 0;
    for (;;) {
      const bytes = await this.readAt(buffer, position);
      if (bytes === 0) return;
      position += bytes;
      yield buffer.subarray(0, bytes);
    }
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#remove);
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
    if (this.#path === undefined) return;
    try {
      unlinkSync(this.#path);
    } catch {
      // Somebody else removed it.
    }
  }

  #asError(error: unknown): AppError {
    if (errorCode(error) !== 'ENOSPC') return fileError(this.#folder, error);
    return new AppError(
      `${this.#folder}: no space left for a temporary file; free some space, or set TMPDIR to another folder`,
    );
  }
}
