import type { Line } from '../lines/line.ts';
import type { Block } from '../lines/reader.ts';
import type { ImageScanner } from '../scanner/images.ts';
import { LISTED, LISTED_FIELDS, LONG, LONG_FIELDS, MARK } from '../scanner/images-layout.ts';
import type { LongString, ThinLine } from './thin-line.ts';

/** Blocks that are held at once: one is looked at while the bytes of another leave. */
const SLOTS = 3;
/** A longer block takes the room of all of them. */
const SLOT_BYTES = 2 * 1024 * 1024;

/**
 * Parts blocks into what leaves as it is and what needs a look: lines that the scanner does not vouch for, and lines that
 * may hold what is wanted. A block is copied here, and its bytes leave from here.
 */
export class VouchedLines {
  readonly #scanner: ImageScanner | undefined;
  readonly #wanted: number;
  /** Until when the bytes of a slot are still on their way. */
  readonly #leaving: Promise<void>[] = new Array<Promise<void>>(SLOTS).fill(Promise.resolve());
  #slot = 0;

  constructor(scanner: ImageScanner | undefined, wanted: 'images' | 'refs') {
    this.#scanner = scanner;
    this.#wanted = MARK[wanted];
  }

  /** Undefined where the block must be read in full. Waits until there is room. */
  async hold(block: Block): Promise<HeldBlock | undefined> {
    if (!this.#scanner || block.encoding === 'invalid') return undefined;
    const { length } = block.bytes;
    const isLong = length > SLOT_BYTES;
    this.#slot = isLong ? 0 : (this.#slot + 1) % SLOTS;
    // Memory that grows moves, and nothing must be on its way out of it then.
    await (isLong ? Promise.all(this.#leaving) : this.#leaving[this.#slot]);
    const memory = this.#scanner.memory(Math.max(length, SLOTS * SLOT_BYTES));
    if (!memory) return undefined;
    const start = this.#slot * SLOT_BYTES;
    block.bytes.copy(memory, start);
    return new HeldBlock(block, this.#scanner, this.#wanted, memory, start);
  }

  /** The last block's bytes are on their way, out of its memory, until the promise is kept. */
  leaves(until: Promise<void>, { length }: HeldBlock): void {
    if (length <= SLOT_BYTES) this.#leaving[this.#slot] = until;
    else this.#leaving.fill(until);
  }
}

class HeldBlock {
  readonly #block: Block;
  readonly #scanner: ImageScanner;
  readonly #wanted: number;
  readonly #memory: Buffer;
  readonly #start: number;

  constructor(block: Block, scanner: ImageScanner, wanted: number, memory: Buffer, start: number) {
    this.#block = block;
    this.#scanner = scanner;
    this.#wanted = wanted;
    this.#memory = memory;
    this.#start = start;
  }

  get length(): number {
    return this.#block.bytes.length;
  }

  /** Bytes of whole lines, newlines included, and single lines, in order. */
  *parts(): Generator<Buffer | Line | ThinLine, void, void> {
    const scanner = this.#scanner;
    const end = this.#start + this.length;
    let number = this.#block.number;
    let left = this.#start;
    for (let from = this.#start; from < end; from = scanner.stopped) {
      const count = scanner.scan(from, end, this.#wanted);
      for (let at = 0; at < count * LISTED_FIELDS; at += LISTED_FIELDS) {
        const start = scanner.listed[at + LISTED.start] as number;
        const length = scanner.listed[at + LISTED.length] as number;
        const here = number + (scanner.listed[at + LISTED.lines] as number);
        if (start > left) yield this.#memory.subarray(left, start);
        left = start + length + 1;
        if (((scanner.listed[at + LISTED.marks] as number) & MARK.unread) !== 0) yield this.#block.line(start - this.#start, length, here);
        else yield this.#thin(at, start, length, here);
      }
      number += scanner.lines;
    }
    if (end > left) yield this.#memory.subarray(left, end);
    this.#block.lines = number - this.#block.number;
  }

  #thin(at: number, start: number, length: number, number: number): ThinLine {
    const { listed, longs } = this.#scanner;
    const first = (listed[at + LISTED.firstLong] as number) * LONG_FIELDS;
    const last = first + (listed[at + LISTED.longs] as number) * LONG_FIELDS;
    const long = new Map<number, LongString>();
    let text = '';
    let done = start;
    for (let one = first; one < last; one += LONG_FIELDS) {
      const from = longs[one + LONG.start] as number;
      const bytes = this.#memory.subarray(from, from + (longs[one + LONG.length] as number));
      // What wants to be a ref is read as one, be it ever so long.
      if (bytes.toString('latin1', 0, 5) === 'blob:') continue;
      text += this.#memory.toString('latin1', done, from);
      const isBase64 = longs[one + LONG.base64] === 1;
      long.set(text.length - 1, {
        length: bytes.length,
        content: () => bytes,
        decoded: () => (isBase64 ? this.#scanner.decode(from, bytes.length) : undefined),
      });
      done = from + bytes.length;
    }
    return { number, text: text + this.#memory.toString('latin1', done, start + length), long };
  }
}
