import { Spool } from './spool.ts';
import type { Random } from './temp.ts';

const MOST_IN_MEMORY = 8 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;

/** Text that is written before what stands in front of it is known: kept in memory, and on the disk once it is large. */
export class HeldOutput {
  readonly #random: Random;
  readonly #signal: AbortSignal;
  readonly #most: number;
  #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #filled = 0;
  #parts: Buffer[] = [];
  #bytes = 0;
  #spool: Spool | undefined;

  constructor(random: Random, signal: AbortSignal, most = MOST_IN_MEMORY) {
    this.#random = random;
    this.#signal = signal;
    this.#most = most;
  }

  write(text: string): void {
    // Piece by piece: one character that is not Latin makes all text that it is joined with slow to encode.
    if (text.length * 3 > BLOCK_BYTES - this.#filled) this.#pack();
    if (text.length * 3 <= BLOCK_BYTES) this.#filled += this.#block.write(text, this.#filled, 'utf8');
    else this.#add(encoded(text));
  }

  /** All of it, from the start, after the last write. */
  async *chunks(): AsyncGenerator<Buffer, void, void> {
    this.#pack();
    if (this.#spool) {
      // The spool uses the memory of a chunk again, and who takes it may keep it.
      for await (const chunk of this.#spool.chunks()) yield Buffer.from(chunk);
    }
    yield* this.#parts;
  }

  close(): void {
    this.#spool?.close();
    this.#spool = undefined;
    this.#parts = [];
  }

  #pack(): void {
    if (this.#filled === 0) return;
    const bytes = this.#block.subarray(0, this.#filled);
    this.#filled = 0;
    if (!this.#spool) this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#add(bytes);
  }

  #add(bytes: Buffer): void {
    if (this.#spool) {
      this.#spool.write(bytes);
      return;
    }
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes < this.#most) return;
    this.#spool = new Spool(this.#random, this.#signal);
    for (const part of this.#parts) this.#spool.write(part);
    this.#parts = [];
  }
}

/** In one go; counting the bytes first, as Buffer.from does, takes several times as long. */
function encoded(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length * 3);
  return bytes.subarray(0, bytes.write(text, 'utf8'));
}
