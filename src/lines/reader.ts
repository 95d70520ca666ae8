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

/** Lines that came together. */
export interface Block {
  readonly lines: Line[];
  /**
   * The bytes of all these lines, newlines included, for those who need not make a string of each; undefined where the
   * last newline is missing or the line is oversize. The memory may be used again for the next block.
   */
  readonly bytes: Buffer | undefined;
}

/** All lines of the input, one block at a time. Any chunking of the same bytes gives the same lines. */
export async function* readBlocks(source: AsyncIterable<Uint8Array>, options: ReadLinesOptions = {}): AsyncGenerator<Block, void, void> {
  const limit = Math.min(options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES, LONGEST_LINE);
  const splitter = new BlockSplitter();
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
        yield { lines: [splitter.oversizeLine(over, true)], bytes: undefined };
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
        yield { lines: [splitter.oversizeLine(firstLength, true)], bytes: undefined };
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
      const block = heldBytes > 0 ? Buffer.concat([...held, rest.subarray(0, cut)], heldBytes + cut) : rest.subarray(0, cut);
      held = [];
      heldBytes = 0;
      yield { lines: splitter.split(block), bytes: block };
      rest = rest.subarray(cut);
    }
  }
  if (over > 0) yield { lines: [splitter.oversizeLine(over, false)], bytes: undefined };
  else if (heldBytes > 0) yield { lines: [splitter.last(Buffer.concat(held, heldBytes))], bytes: undefined };
}

/** The same as lines alone. */
export async function* readLineBatches(
  source: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<Line[], void, void> {
  for await (const block of readBlocks(source, options)) yield block.lines;
}

/** The same, a line at a time. */
export async function* readLines(source: AsyncIterable<Uint8Array>, options: ReadLinesOptions = {}): AsyncGenerator<Line, void, void> {
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

/** Hands split2 whole lines only, as strings of one character a byte: what it does then is exact and never repeated. */
class BlockSplitter {
  #number = 0;
  #offset = 0;
  #encoding: BlockEncoding = 'ascii';
  #lines: Line[] = [];
  readonly #split = split2('\n', (raw: string) => this.#take(raw, true), { decodeStrings: false });

  split(block: Buffer): Line[] {
    this.#encoding = blockEncoding(block);
    this.#lines = [];
    this.#split.write(block.toString('latin1'));
    return this.#lines;
  }

  last(rest: Buffer): Line {
    this.#encoding = blockEncoding(rest);
    this.#lines = [];
    this.#take(rest.toString('latin1'), false);
    return this.#lines[0] as Line;
  }

  oversizeLine(length: number, terminated: boolean): Line {
    const line = new Line(this.#number + 1, this.#offset, '', terminated, 'ascii', length);
    this.#number += 1;
    this.#offset += length + (terminated ? 1 : 0);
    return line;
  }

  #take(raw: string, terminated: boolean): void {
    this.#number += 1;
    this.#lines.push(new Line(this.#number, this.#offset, raw, terminated, this.#encoding));
    this.#offset += raw.length + (terminated ? 1 : 0);
  }
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
