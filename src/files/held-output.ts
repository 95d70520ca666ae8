import { Spool } from './spool.ts';
import type { Random } from './temp.ts';

const MOST_IN_MEMORY = 8 * 1024 * 1024;
const PACK_CHARACTERS = 64 * 1024;

/**
 * Text that is written before what stands in front of it is known: kept in memory, and on the disk once it is large.
 */
export class HeldOutput {
  readonly #random: Random;
  readonly #signal: AbortSignal;
  readonly #most: number;
  #waiting = '';
  #parts: Buffer[] = [];
  #bytes = 0;
  #spool: Spool | undefined;

  constructor(random: Random, signal: AbortSignal, most = MOST_IN_MEMORY) {
    this.#random = random;
    this.#signal = signal;
    this.#most = most;
  }

  write(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length >= PACK_CHARACTERS) this.#pack();
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
    if (this.#waiting === '') return;
    const bytes = Buffer.from(this.#waiting, 'utf8');
    this.#waiting = '';
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes < this.#most) return;
    this.#spool ??= new Spool(this.#random, this.#signal);
    for (const part of this.#parts) this.#spool.write(part);
    this.#parts = [];
    this.#bytes = 0;
  }
}
