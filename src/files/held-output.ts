import { Spool } from './spool.ts';
import type { Random } from './temp.ts';

const MOST_IN_MEMORY = 8 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;
/** So many of them while the disk is written to. */
const BLOCKS = 4;
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
  /** Where the block at hand is, where it starts there, and how much is in it. */
  #memory: Buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #start = 0;
  #filled = 0;
  #parts: Buffer[] = [];
  #bytes = 0;
  #spool: Spool | undefined;
  /** Starts of blocks that nobody is writing from, the promises of the others, and the first that could not be kept. */
  #free: number[] = [];
  readonly #onTheWay = new Set<Promise<void>>();
  #failed: unknown;

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
      const at = this.#start + this.#filled;
      this.#filled += this.#encoder?.encode(piece, at) ?? this.#memory.write(piece, at, 'utf8');
      start = end;
    }
  }

  /** All of it, from the start, after the last write. */
  async *chunks(): AsyncGenerator<Buffer, void, void> {
    this.#pack();
    await Promise.all(this.#onTheWay);
    if (this.#failed) throw this.#failed;
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
    if (this.#failed) throw this.#failed;
    if (this.#filled === 0) return;
    const bytes = this.#memory.subarray(this.#start, this.#start + this.#filled);
    this.#filled = 0;
    if (this.#spool) this.#send(bytes, this.#spool);
    else this.#keep(bytes);
  }

  #keep(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes < this.#most) {
      this.#memory = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      return;
    }
    this.#spool = new Spool(this.#random, this.#signal);
    for (const part of this.#parts) this.#spool.write(part);
    this.#parts = [];
    this.#encoder = this.#makeEncoder(BLOCKS * BLOCK_BYTES);
    this.#memory = this.#encoder?.memory ?? Buffer.allocUnsafeSlow(BLOCKS * BLOCK_BYTES);
    for (let block = 1; block < BLOCKS; block++) this.#free.push(block * BLOCK_BYTES);
  }

  /** Writes while more is made, as long as there is a block left to put that into. */
  #send(bytes: Buffer, spool: Spool): void {
    const next = this.#free.pop();
    if (next === undefined) {
      spool.write(bytes);
      return;
    }
    const used = this.#start;
    this.#start = next;
    const sent = spool
      .writeBehind(bytes)
      .then(() => this.#free.push(used))
      .catch((error: unknown) => {
        this.#failed ??= error;
      })
      .then(() => {
        this.#onTheWay.delete(sent);
      });
    this.#onTheWay.add(sent);
  }
}

/** Where a piece ends that fits into a block; never between the halves of a surrogate pair. */
function pieceEnd(text: string, start: number): number {
  const end = start + MOST_CHARACTERS;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
