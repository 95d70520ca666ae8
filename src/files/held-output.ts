import { Spool } from './spool.ts';
import type { Random } from './temp.ts';

const MOST_IN_MEMORY = 8 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;
/** What is encoded in one go. A character takes at most three bytes, or two of them four, so it fits into a block. */
const MOST_CHARACTERS = 64 * 1024;

/** Writes text as UTF-8 into its memory, faster than Buffers do. */
interface Encoder {
  readonly memory: Buffer;
  /** Takes at most MOST_CHARACTERS, and gives the number of bytes. */
  encode(text: string, at: number): number;
}

/** Text that is written before what stands in front of it is known: kept in memory, and on the disk once it is large. */
export class HeldOutput {
  readonly #random: Random;
  readonly #signal: AbortSignal;
  readonly #most: number;
  readonly #makeEncoder: (bytes: number) => Encoder | undefined;
  #encoder: Encoder | undefined;
  #block: Buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #filled = 0;
  #parts: Buffer[] = [];
  #bytes = 0;
  #spool: Spool | undefined;

  /** The encoder is made when there is much to encode. */
  constructor(
    random: Random,
    signal: AbortSignal,
    most = MOST_IN_MEMORY,
    makeEncoder: (bytes: number) => Encoder | undefined = () => undefined,
  ) {
    this.#random = random;
    this.#signal = signal;
    this.#most = most;
    this.#makeEncoder = makeEncoder;
  }

  write(text: string): void {
    for (let start = 0; start < text.length; ) {
      const end = pieceEnd(text, start);
      const piece = end - start === text.length ? text : text.slice(start, end);
      if (piece.length * 3 > BLOCK_BYTES - this.#filled) this.#pack();
      this.#filled += this.#encoder?.encode(piece, this.#filled) ?? this.#block.write(piece, this.#filled, 'utf8');
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
    this.#encoder = this.#makeEncoder(BLOCK_BYTES);
    if (this.#encoder) this.#block = this.#encoder.memory;
  }
}

/** Where a piece ends that fits into a block; never between the halves of a surrogate pair. */
function pieceEnd(text: string, start: number): number {
  const end = start + MOST_CHARACTERS;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
