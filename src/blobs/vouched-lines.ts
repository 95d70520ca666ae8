import { behindRoom } from '../base/room-before.ts';
import { CHUNK_BYTES, ROOM_BEFORE } from '../files/input.ts';
import type { Line } from '../lines/line.ts';
import type { Block } from '../lines/reader.ts';
import type { ImageScanner } from '../scanner/images.ts';
import { LISTED, LISTED_FIELDS, LONG, LONG_FIELDS, MARK } from '../scanner/images-layout.ts';
import type { LongString, ThinLine } from './thin-line.ts';

/** Chunks that are held at once: one is looked at and the next one filled, while the bytes of two others leave. */
const CHUNKS = 4;
/** Room for blocks that came in other memory, and how long they may be. Longer ones have memory of their own. */
const SLOTS = 2;
const SLOT_BYTES = 4 * 1024 * 1024;

/**
 * Parts blocks into what leaves as it is and what needs a look: lines that the scanner does not vouch for, and lines that
 * may hold what is wanted. Chunks are read into the scanner's memory, and leave from there.
 */
export class VouchedLines {
  readonly #make: () => ImageScanner | undefined;
  readonly #wanted: number;
  readonly #scanner: ImageScanner | undefined;
  readonly #memory: Buffer | undefined;
  readonly #buffers: readonly Buffer[] | undefined;
  readonly #slots: readonly Place[];
  #slot = 0;
  /** For blocks that are longer than a slot. */
  #large: { readonly scanner: ImageScanner; readonly place: Place } | undefined;
  /** Until when anything is on its way out. */
  #leaving: Promise<void> = Promise.resolve();

  constructor(make: () => ImageScanner | undefined, wanted: 'images' | 'refs') {
    this.#make = make;
    this.#wanted = MARK[wanted];
    this.#scanner = make();
    const chunk = ROOM_BEFORE + CHUNK_BYTES;
    const slots = CHUNKS * chunk;
    // All of it at once: memory that grows later moves, and then nothing may stand in it.
    const memory = this.#scanner?.memory(slots + SLOTS * SLOT_BYTES);
    this.#memory = memory;
    this.#buffers =
      memory && Array.from({ length: CHUNKS }, (_, at) => behindRoom(memory.subarray(at * chunk, (at + 1) * chunk), ROOM_BEFORE));
    this.#slots = Array.from({ length: SLOTS }, (_, at) => new Place(slots + at * SLOT_BYTES));
  }

  /** The chunks of the input. One is asked for only when the bytes that stood in its place have left. */
  async *chunks(read: (buffers: readonly Buffer[] | undefined) => AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    const leaving: Promise<void>[] = [];
    for await (const chunk of read(this.#buffers)) {
      yield chunk;
      leaving.push(this.#leaving);
      // The next one is there; asking for it fills the place of the one after it.
      if (leaving.length > CHUNKS - 2) await leaving.shift();
    }
  }

  /** Undefined where the block must be read in full. Waits until there is room. */
  async hold(block: Block): Promise<HeldBlock | undefined> {
    if (!this.#scanner || !this.#memory || block.encoding === 'invalid') return undefined;
    const { bytes } = block;
    if (bytes.buffer === this.#memory.buffer) {
      return this.#held(block, this.#scanner, this.#memory, new Place(bytes.byteOffset - this.#memory.byteOffset));
    }
    if (bytes.length > SLOT_BYTES) return await this.#holdLarge(block);
    this.#slot = (this.#slot + 1) % SLOTS;
    const place = this.#slots[this.#slot] as Place;
    await place.leaving;
    bytes.copy(this.#memory, place.start);
    return this.#held(block, this.#scanner, this.#memory, place);
  }

  async #holdLarge(block: Block): Promise<HeldBlock | undefined> {
    const scanner = this.#large?.scanner ?? this.#make();
    if (!scanner) return undefined;
    this.#large ??= { scanner, place: new Place(0) };
    const { place } = this.#large;
    await place.leaving;
    const memory = scanner.memory(block.bytes.length);
    if (!memory) return undefined;
    block.bytes.copy(memory);
    return this.#held(block, scanner, memory, place);
  }

  #held(block: Block, scanner: ImageScanner, memory: Buffer, place: Place): HeldBlock {
    return new HeldBlock(block, scanner, this.#wanted, memory, place.start, (until) => {
      place.leaving = until;
      this.#leaving = until;
    });
  }
}

/** Where a block stands in memory, and until when its bytes are on their way out. */
class Place {
  readonly start: number;
  leaving: Promise<void> = Promise.resolve();

  constructor(start: number) {
    this.start = start;
  }
}

class HeldBlock {
  readonly #block: Block;
  readonly #scanner: ImageScanner;
  readonly #wanted: number;
  readonly #memory: Buffer;
  readonly #start: number;
  /** To be told that its bytes are on their way, out of the memory where it stands, until the promise is kept. */
  readonly leaves: (until: Promise<void>) => void;

  constructor(block: Block, scanner: ImageScanner, wanted: number, memory: Buffer, start: number, leaves: (until: Promise<void>) => void) {
    this.#block = block;
    this.#scanner = scanner;
    this.#wanted = wanted;
    this.#memory = memory;
    this.#start = start;
    this.leaves = leaves;
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
