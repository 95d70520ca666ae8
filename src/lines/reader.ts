import { isAscii, isUtf8 } from 'node:buffer';
import type { Transform } from 'node:stream';
import split2 from 'split2';
import { type Encoding, encodingOf, Line } from './line.ts';

/** Above this V8 cannot hold a line as one string. */
export const LONGEST_LINE = 2 ** 29 - 64;
export const DEFAULT_MAX_LINE_BYTES = 256 * 1024 * 1024;
/** Memory for a line that is held is kept up to this size; larger ones are rare. */
const LARGEST_KEPT = 16 * 1024 * 1024;

const EMPTY = Buffer.alloc(0);

export interface ReadLinesOptions {
  /** A longer line is not held: it comes as a line with `oversize` set. */
  readonly maxLineBytes?: number | undefined;
  /**
   * The bytes of an oversize line, piece by piece, without its newline, after every line before it was handed out and
   * before the line itself is; for commands that pass through what they cannot hold.
   */
  readonly onOversizePiece?: (piece: Buffer, first: boolean) => void | Promise<void>;
}

/** All lines of the input, a block of them at a time, or a line by itself where it is too long or has no newline. */
export async function* readBlocks(
  source: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<LineBlock | Line> {
  const limit = Math.min(options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES, LONGEST_LINE);
  let number = 1;
  let offset = 0;
  /** The start of a line whose end is in a later chunk, copied: the chunk's memory belongs to the source. */
  let held: Buffer = EMPTY;
  let heldBytes = 0;
  const hold = (piece: Buffer): void => {
    const before = held.subarray(0, heldBytes);
    if (held.length < heldBytes + piece.length) held = Buffer.allocUnsafeSlow((heldBytes + piece.length) * 2);
    if (held.buffer !== before.buffer) before.copy(held);
    heldBytes += piece.copy(held, heldBytes);
  };
  /** Bytes of the oversize line being skipped, 0 outside of one. */
  let oversize = 0;
  const skipOversize = async (piece: Buffer): Promise<void> => {
    if (piece.length > 0) await options.onOversizePiece?.(piece, oversize === 0);
    oversize += piece.length;
  };
  const oversizeLine = (terminated: boolean): Line => {
    const line = new Line(number++, offset, '', terminated, 'ascii', oversize);
    offset += oversize + (terminated ? 1 : 0);
    oversize = 0;
    return line;
  };

  for await (const chunk of source) {
    let rest = asBuffer(chunk);
    while (rest.length > 0) {
      // The first newline decides whether the line that is held is too long; the last one ends the block.
      const newline = rest.indexOf(0x0a);
      const piece = newline < 0 ? rest : rest.subarray(0, newline);
      if (oversize > 0 || heldBytes + piece.length > limit) {
        await skipOversize(held.subarray(0, heldBytes));
        heldBytes = 0;
        await skipOversize(piece);
        if (newline < 0) break;
        yield oversizeLine(true);
        rest = rest.subarray(newline + 1);
        continue;
      }
      if (newline < 0) {
        hold(rest);
        break;
      }
      // A line that is held is a block by itself, so that the rest of the chunk need not be copied behind it. Only a
      // chunk above the limit can hide a line that is too long behind the first one; it is cut line by line.
      const cut = heldBytes > 0 || rest.length > limit ? newline + 1 : rest.lastIndexOf(0x0a) + 1;
      if (heldBytes > 0) hold(rest.subarray(0, cut));
      const block = new LineBlock(heldBytes > 0 ? held.subarray(0, heldBytes) : rest.subarray(0, cut), number, offset);
      heldBytes = 0;
      yield block;
      if (held.length > LARGEST_KEPT) held = Buffer.alloc(0);
      number += block.lines;
      offset += block.bytes.length;
      rest = rest.subarray(cut);
    }
  }
  if (oversize > 0) yield oversizeLine(false);
  else if (heldBytes > 0) yield lastLine(held.subarray(0, heldBytes), number, offset);
}

/** The same, synchronously, for an input in memory that is no longer than a line may be. */
export function* piecesOf(input: Buffer, number = 1, offset = 0): Generator<LineBlock | Line> {
  const cut = input.lastIndexOf(0x0a) + 1;
  const block = new LineBlock(input.subarray(0, cut), number, offset);
  if (cut > 0) yield block;
  if (cut < input.length) yield lastLine(input.subarray(cut), number + block.lines, offset + cut);
}

/** All lines of such an input. */
export function linesIn(input: Buffer, number = 1, offset = 0): Line[] {
  return [...piecesOf(input, number, offset)].flatMap((piece) =>
    piece instanceof LineBlock ? piece.split() : [piece],
  );
}

/** All lines of the input, one block's lines at a time. Any chunking of the same bytes gives the same lines. */
export async function* readLineBatches(
  source: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<Line[]> {
  for await (const piece of readBlocks(source, options)) yield piece instanceof LineBlock ? piece.split() : [piece];
}

/** The same, a line at a time. */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<Line> {
  for await (const batch of readLineBatches(source, options)) yield* batch;
}

/** Whole lines, each ended by a newline. The memory is used again for the next block. */
export class LineBlock {
  readonly bytes: Buffer;
  /** The number of its first line. */
  readonly number: number;
  readonly offset: number;
  #wellFormed: boolean | undefined;
  #encoding: Encoding | undefined;
  #lines: number | undefined;
  /** What is left of it after its first lines were taken. */
  #rest: LineBlock | undefined;

  constructor(bytes: Buffer, number: number, offset: number, wellFormed?: boolean) {
    this.bytes = bytes;
    this.number = number;
    this.offset = offset;
    this.#wellFormed = wellFormed;
  }

  /** Whether the bytes are UTF-8; to ask for no more than that takes half the time. */
  get wellFormed(): boolean {
    this.#wellFormed ??= isUtf8(this.bytes);
    return this.#wellFormed;
  }

  get encoding(): Encoding {
    this.#encoding ??= !this.wellFormed ? 'invalid' : isAscii(this.bytes) ? 'ascii' : 'utf8';
    return this.#encoding;
  }

  /** How many lines it has; set by code that has counted them anyway. */
  get lines(): number {
    this.#lines ??= this.#rest ? this.#rest.number - this.number + this.#rest.lines : countLines(this.bytes);
    return this.#lines;
  }

  set lines(lines: number) {
    this.#lines = lines;
  }

  /** Hands out its first lines one by one until `take` wants no more, and gives the rest, if there is any. */
  peel(take: (line: Line) => boolean): LineBlock | undefined {
    const { bytes, offset } = this;
    let { number } = this;
    let start = 0;
    for (let wantsMore = true; wantsMore && start < bytes.length; ) {
      const end = bytes.indexOf(0x0a, start);
      wantsMore = take(this.line(start, end - start, number++));
      start = end + 1;
    }
    if (start < bytes.length)
      this.#rest = new LineBlock(bytes.subarray(start), number, offset + start, this.wellFormed || undefined);
    else this.#lines = number - this.number;
    return this.#rest;
  }

  split(): Line[] {
    let at = this.offset;
    const lines = linesOf(this.bytes.toString('latin1')).map((raw, index) => {
      const start = at;
      at += raw.length + 1;
      return new Line(this.number + index, start, raw, true, this.encoding);
    });
    this.#lines = lines.length;
    return lines;
  }

  /** One line by itself, by where it starts in the block and its length without the newline. */
  line(start: number, length: number, number: number): Line {
    const bytes = this.bytes.subarray(start, start + length);
    const encoding = isAscii(bytes) ? 'ascii' : this.wellFormed ? 'utf8' : 'invalid';
    return new Line(number, this.offset + start, bytes.toString('latin1'), true, encoding);
  }
}

function lastLine(rest: Buffer, number: number, offset: number): Line {
  return new Line(number, offset, rest.toString('latin1'), false, encodingOf(rest));
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines++;
  return lines;
}

let splitting: { readonly stream: Transform; pieces: string[] } | undefined;

/**
 * Whole lines of one text: what split2 does with whole lines is exact and never repeated. One stream splits for all
 * readers, for making one takes longer than the check of a short log.
 */
function linesOf(text: string): string[] {
  splitting ??= {
    stream: split2('\n', (raw: string) => void splitting?.pieces.push(raw), { decodeStrings: false }),
    pieces: [],
  };
  splitting.pieces = [];
  splitting.stream.write(text);
  return splitting.pieces;
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
