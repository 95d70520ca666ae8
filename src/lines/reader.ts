import { isAscii } from 'node:buffer';
import type { Transform } from 'node:stream';
import split2 from 'split2';
import { type BlockEncoding, blockEncoding, Line } from './line.ts';

/** Above this V8 cannot hold a line as one string. */
export const LONGEST_LINE = 2 ** 29 - 64;
export const DEFAULT_MAX_LINE_BYTES = 256 * 1024 * 1024;

export interface ReadLinesOptions {
  /** A longer line is not held: it comes as a line with `oversize` set. */
  readonly maxLineBytes?: number;
  /**
   * The bytes of an oversize line, piece by piece, without its newline, after every line before it was handed out and
   * before the line itself is; for commands that pass through what they cannot hold.
   */
  readonly onOversizePiece?: (piece: Buffer, first: boolean) => void | Promise<void>;
}

/**
 * All lines of the input, a block of them at a time, or a line by itself where it is too long or has no newline. Whoever
 * knows how many lines a block has may say so, or else they are counted.
 */
export async function* readBlocks(
  source: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<Block | Line, void, void> {
  const limit = Math.min(options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES, LONGEST_LINE);
  const splitter = new BlockSplitter();
  const joined = new Joined();
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** Bytes of the oversize line being passed over, 0 outside of one. */
  let over = 0;

  for await (const chunk of source) {
    let rest = asBuffer(chunk);
    while (rest.length > 0) {
      if (over > 0) {
        const end = rest.indexOf(0x0a);
        const piece = end < 0 ? rest : rest.subarray(0, end);
        over += piece.length;
        if (piece.length > 0) await options.onOversizePiece?.(piece, false);
        if (end < 0) break;
        yield splitter.oversizeLine(over, true);
        over = 0;
        rest = rest.subarray(end + 1);
        continue;
      }
      // The first newline decides whether the line that is held is too long; the last one ends the block.
      const first = rest.indexOf(0x0a);
      const firstLength = heldBytes + (first < 0 ? rest.length : first);
      if (firstLength > limit) {
        let isFirst = true;
        for (const piece of held) {
          await options.onOversizePiece?.(piece, isFirst);
          isFirst = false;
        }
        const piece = first < 0 ? rest : rest.subarray(0, first);
        if (piece.length > 0) await options.onOversizePiece?.(piece, isFirst);
        held = [];
        heldBytes = 0;
        if (first < 0) {
          over = firstLength;
          break;
        }
        yield splitter.oversizeLine(firstLength, true);
        rest = rest.subarray(first + 1);
        continue;
      }
      if (first < 0) {
        // The chunk's memory belongs to the source, which may use it again.
        held.push(Buffer.from(rest));
        heldBytes += rest.length;
        break;
      }
      const cut = cutWithin(rest, first, limit);
      const block = joined.of(held, heldBytes, rest.subarray(0, cut));
      held = [];
      heldBytes = 0;
      const whole = splitter.block(block);
      yield whole;
      splitter.pass(whole);
      rest = rest.subarray(cut);
    }
  }
  if (over > 0) yield splitter.oversizeLine(over, false);
  else if (heldBytes > 0) yield splitter.last(Buffer.concat(held, heldBytes));
}

/** The same for an input that is all in memory, and no longer than a line may be: nobody has to be waited for. */
export function eachPiece(input: Buffer, use: (piece: Block | Line) => void): void {
  const splitter = new BlockSplitter();
  const cut = input.lastIndexOf(0x0a) + 1;
  if (cut > 0) {
    const whole = splitter.block(input.subarray(0, cut));
    use(whole);
    splitter.pass(whole);
  }
  if (cut < input.length) use(splitter.last(input.subarray(cut)));
}

/** All lines of the input, one block's lines at a time. Any chunking of the same bytes gives the same lines. */
export async function* readLineBatches(
  source: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<Line[], void, void> {
  for await (const piece of readBlocks(source, options)) yield piece instanceof Block ? piece.split() : [piece];
}

/** The same, a line at a time. */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<Line, void, void> {
  for await (const batch of readLineBatches(source, options)) yield* batch;
}

/**
 * Where the block ends: behind the last newline. Only a chunk larger than the limit can hide a line that is too long
 * behind the first one; it is then cut line by line.
 */
function cutWithin(rest: Buffer, first: number, limit: number): number {
  if (rest.length > limit) return first + 1;
  return rest.lastIndexOf(0x0a) + 1;
}

/** Pieces put together: nearly every block starts with the end of the chunk before. */
class Joined {
  /** Used again and again. */
  #memory = Buffer.alloc(0);

  of(held: readonly Buffer[], heldBytes: number, last: Buffer): Buffer {
    if (heldBytes === 0) return last;
    const length = heldBytes + last.length;
    // A block of that size is rare, and its memory is not worth keeping.
    if (length > LARGEST_KEPT) return Buffer.concat([...held, last], length);
    if (this.#memory.length < length) this.#memory = Buffer.allocUnsafeSlow(Math.max(length, FIRST_KEPT));
    let at = 0;
    for (const piece of held) at += piece.copy(this.#memory, at);
    last.copy(this.#memory, at);
    return this.#memory.subarray(0, length);
  }
}

const FIRST_KEPT = 2 * 1024 * 1024;
const LARGEST_KEPT = 16 * 1024 * 1024;

/** Whole lines, each ended by a newline. The memory is used again for the next block. */
export class Block {
  readonly bytes: Buffer;
  /** The number of its first line. */
  readonly number: number;
  readonly offset: number;
  #encoding: BlockEncoding | undefined;
  /** How many lines it has, once somebody has counted them. */
  lines: number | undefined;
  readonly #splitter: BlockSplitter;

  constructor(bytes: Buffer, number: number, offset: number, splitter: BlockSplitter, encoding?: BlockEncoding) {
    this.bytes = bytes;
    this.number = number;
    this.offset = offset;
    this.#encoding = encoding;
    this.#splitter = splitter;
  }

  get encoding(): BlockEncoding {
    this.#encoding ??= blockEncoding(this.bytes);
    return this.#encoding;
  }

  /** The rest of the block from a line on. */
  from(start: number, number: number): Block {
    return new Block(this.bytes.subarray(start), number, this.offset + start, this.#splitter, this.encoding);
  }

  split(): Line[] {
    const lines = this.#splitter.split(this.bytes, this.number, this.offset, this.encoding);
    this.lines = lines.length;
    return lines;
  }

  /** One line by itself, by where it starts in the block and its length without the newline. */
  line(start: number, length: number, number: number): Line {
    const bytes = this.bytes.subarray(start, start + length + 1);
    return this.#splitter.split(bytes, number, this.offset + start, this.encoding)[0] as Line;
  }

  /** The same for a line that was scanned, so that nobody has to look for its end. */
  scannedLine(start: number, length: number, number: number): Line {
    const bytes = this.bytes.subarray(start, start + length);
    const encoding = this.encoding === 'utf8' && isAscii(bytes) ? 'ascii' : this.encoding;
    return new Line(number, this.offset + start, bytes.toString('latin1'), true, encoding);
  }
}

/** Hands split2 whole lines only, as strings of one character a byte: what it does then is exact and never repeated. */
class BlockSplitter {
  /** Of the line that comes next. */
  #number = 1;
  #offset = 0;

  block(bytes: Buffer): Block {
    return new Block(bytes, this.#number, this.#offset, this);
  }

  /** The block was gone through. */
  pass(block: Block): void {
    this.#number += block.lines ?? countLines(block.bytes);
    this.#offset += block.bytes.length;
  }

  split(bytes: Buffer, number: number, offset: number, encoding: BlockEncoding): Line[] {
    let at = offset;
    return linesOf(bytes.toString('latin1')).map((raw, line) => {
      const start = at;
      at += raw.length + 1;
      return new Line(number + line, start, raw, true, encoding);
    });
  }

  last(rest: Buffer): Line {
    return new Line(this.#number, this.#offset, rest.toString('latin1'), false, blockEncoding(rest));
  }

  oversizeLine(length: number, terminated: boolean): Line {
    const line = new Line(this.#number, this.#offset, '', terminated, 'ascii', length);
    this.#number += 1;
    this.#offset += length + (terminated ? 1 : 0);
    return line;
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}

let splitting: { readonly stream: Transform; pieces: string[] } | undefined;

/** Whole lines of one text. One stream splits for all readers: making one takes longer than the check of a short log. */
function linesOf(text: string): string[] {
  splitting ??= {
    stream: split2(
      '\n',
      (raw: string) => {
        splitting?.pieces.push(raw);
      },
      { decodeStrings: false },
    ),
    pieces: [],
  };
  splitting.pieces = [];
  splitting.stream.write(text);
  return splitting.pieces;
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
