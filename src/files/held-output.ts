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
    for (let start = 0; start < text.length; ) {
      const end = pieceEnd(text, start);
      const piece = end - start === text.length ? text : text.slice(start, end);
      if (piece.length * 3 > BLOCK_BYTES - this.#filled) this.#pack();
      this.#filled += this.#block.write(piece, this.#filled, 'utf8');
      start = end;
    }
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

/** A character takes at most three bytes, or two of them four. */
const MOST_CHARACTERS = Math.floor(BLOCK_BYTES / 3);

/** Where a piece ends that fits into a block; never between the halves of a surrogate pair. */
function pieceEnd(text: string, start: number): number {
  const end = start + MOST_CHARACTERS;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
