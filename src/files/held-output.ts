import { Spool } from './spool.ts';
import type { Random } from './temp.ts';

const MOST_IN_MEMORY = 8 * 1024 * 1024;
const MOST_CHARACTERS = 64 * 1024;

/** Text that is written before what stands in front of it is known: kept in memory, and on the disk once it is large. */
export class HeldOutput {
  readonly #random: Random;
  readonly #signal: AbortSignal;
  readonly #most: number;
  #text = '';
  #parts: Buffer[] = [];
  #bytes = 0;
  #spool: Spool | undefined;

  constructor(random: Random, signal: AbortSignal, most = MOST_IN_MEMORY) {
    this.#random = random;
    this.#signal = signal;
    this.#most = most;
  }

  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= MOST_CHARACTERS) this.#pack();
  }

  /** All of it, from the start, after the last write. */
  async *chunks(): AsyncGenerator<Buffer, void, void> {
    this.#pack();
    // The spool uses the memory of a chunk again, and who takes it may keep it.
    if (this.#spool) for await (const chunk of this.#spool.chunks()) yield Buffer.from(chunk);
    yield* this.#parts;
  }

  close(): void {
    this.#spool?.close();
    this.#spool = undefined;
    this.#parts = [];
  }

  #pack(): void {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
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
