import { isUtf8 } from 'node:buffer';
import { DEFAULT_MAX_LINE_BYTES, LONGEST_LINE } from './reader.ts';

const NEWLINE = 0x0a;

/** Where the line stands that is handed out; the same object for every line. */
export interface LinePlace {
  /** 1 for the first line of the input. */
  readonly number: number;
  /** In bytes from the start of the input. */
  readonly offset: number;
  readonly terminated: boolean;
  /** No NUL and no broken UTF-8 in it. False means that nobody looked closely: the line or one near it has some. */
  readonly clean: boolean;
}

export interface RangeReader {
  /** The line's bytes, without the newline, are those from start up to end. They are gone after the call. */
  line(bytes: Buffer, start: number, end: number, place: LinePlace): void;
  /** A line over the limit, whose bytes are not held. */
  oversize(length: number, place: LinePlace): void;
}

/**
 * All lines of the input as ranges of bytes, for those who look at a few bytes of each: no string is made and nothing is
 * copied but lines that lie across two chunks.
 */
export async function readRanges(
  source: AsyncIterable<Buffer>,
  reader: RangeReader,
  options: { readonly maxLineBytes?: number } = {},
): Promise<void> {
  const limit = Math.min(options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES, LONGEST_LINE);
  const place = { number: 0, offset: 0, terminated: true, clean: true };
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** The held line is over the limit: its bytes are counted and let go. */
  let over = false;

  const endHeld = (rest: Buffer, terminated: boolean): void => {
    const length = heldBytes + rest.length;
    place.number++;
    place.terminated = terminated;
    if (over || length > limit) {
      place.clean = true;
      reader.oversize(length, place);
    } else {
      const line = held.length === 0 ? rest : Buffer.concat([...held, rest], length);
      place.clean = isClean(line);
      reader.line(line, 0, length, place);
    }
    place.offset += length + (terminated ? 1 : 0);
    held = [];
    heldBytes = 0;
    over = false;
  };

  for await (const chunk of source) {
    let at = 0;
    if (heldBytes > 0) {
      const end = chunk.indexOf(NEWLINE);
      if (end < 0) {
        heldBytes += chunk.length;
        if (heldBytes > limit) {
          over = true;
          held = [];
        } else held.push(Buffer.from(chunk));
        continue;
      }
      endHeld(chunk.subarray(0, end), true);
      at = end + 1;
    }
    const last = chunk.lastIndexOf(NEWLINE);
    if (last >= at) {
      place.clean = isClean(chunk.subarray(at, last + 1));
      place.terminated = true;
      while (at <= last) {
        const end = chunk.indexOf(NEWLINE, at);
        place.number++;
        if (end - at > limit) reader.oversize(end - at, place);
        else reader.line(chunk, at, end, place);
        place.offset += end - at + 1;
        at = end + 1;
      }
    }
    if (at < chunk.length) {
      heldBytes = chunk.length - at;
      if (heldBytes > limit) over = true;
      else held.push(Buffer.from(chunk.subarray(at)));
    }
  }
  if (heldBytes > 0) endHeld(Buffer.alloc(0), false);
}

function isClean(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}
