import { DEFAULT_MAX_LINE_BYTES, LONGEST_LINE } from './reader.ts';

const NEWLINE = 0x0a;
/** Most lines are far shorter; a longer one makes the buffers grow. */
const BUFFER_BYTES = 2 * 1024 * 1024;
/** More at once is no faster, and what is read should still be near when it is looked at. */
const READ_BYTES = 1024 * 1024;
/** The share of a buffer that the start of a line may take; the rest is for new bytes. */
const MOST_CARRY = 3 / 4;

/** Bytes in their order: each call gives some of them, at least one unless there are no more. */
export interface ByteSequence {
  read(buffer: Buffer): Promise<number>;
}

/** Where the line stands that is handed out; the same object for every line. */
export interface LinePlace {
  /** 1 for the first line of the input. */
  readonly number: number;
  /** In bytes from the start of the input. */
  readonly offset: number;
  readonly terminated: boolean;
}

export interface RangeReader {
  /** The line's bytes, without the newline, are those from start up to end. They are gone after the call. */
  line(bytes: Buffer, start: number, end: number, place: LinePlace): void;
  /** A line over the limit, whose bytes are not held. */
  oversize(length: number, place: LinePlace): void;
  /**
   * Takes all lines up to `end`, which lies behind a newline, in one go; none is over the limit. The place is where they start,
   * its number that of the line before, and is left where they end. False: hand them out one by one.
   */
  lines?(bytes: Buffer, end: number, place: MovingPlace): boolean;
}

/** For whoever takes several lines. */
export interface MovingPlace extends LinePlace {
  number: number;
  offset: number;
}

export interface RangeOptions {
  readonly maxLineBytes?: number;
  /** Two buffers of one size to read into, where whoever looks at the lines has some of its own. A line that does not fit comes in another. */
  readonly buffers?: readonly [Buffer, Buffer];
}

/**
 * All lines of the input as ranges of bytes, for those who look at a few bytes of each: no string is made, and nothing is
 * copied but the start of a line that the bytes at hand do not end. While lines are looked at, the next bytes are read.
 */
export async function readRanges(source: ByteSequence, reader: RangeReader, options: RangeOptions = {}): Promise<void> {
  const limit = Math.min(options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES, LONGEST_LINE);
  const place = { number: 0, offset: 0, terminated: true };
  const buffers = options.buffers ?? [Buffer.allocUnsafeSlow(BUFFER_BYTES), Buffer.allocUnsafeSlow(BUFFER_BYTES)];
  const size = buffers[0].length;
  let here: Buffer = buffers[0];
  let filled = await source.read(here.subarray(0, READ_BYTES));
  /** Bytes at the start of the buffer that are known to hold no newline. */
  let known = 0;

  while (filled > known) {
    const cut = lastNewline(here, known, filled) + 1;
    const carry = filled - cut;
    if (carry > limit) {
      lines(here, cut, limit, place, reader);
      // The rest of the line is passed over; what comes behind it starts the next round.
      filled = await passOver(source, here, carry, place, reader);
      known = 0;
      continue;
    }
    const free = here === buffers[0] ? buffers[1] : buffers[0];
    const ahead = carry <= size * MOST_CARRY ? free : Buffer.allocUnsafeSlow(Math.min(carry * 2, limit) + size);
    here.copy(ahead, 0, cut, filled);
    const next = source.read(ahead.subarray(carry, carry + READ_BYTES));
    try {
      lines(here, cut, limit, place, reader);
    } catch (error) {
      // Nobody waits for the bytes any more, but they must have come before the file is closed.
      await next.catch(() => {});
      throw error;
    }
    known = carry;
    filled = carry + (await next);
    here = ahead;
  }
  if (filled === 0) return;
  place.number++;
  place.terminated = false;
  reader.line(here, 0, filled, place);
}

/** The lines of a buffer up to `end`, which lies behind a newline. */
function lines(bytes: Buffer, end: number, limit: number, place: MovingPlace, reader: RangeReader): void {
  if (end <= limit && reader.lines?.(bytes, end, place)) return;
  for (let at = 0; at < end; ) {
    const newline = bytes.indexOf(NEWLINE, at);
    place.number++;
    if (newline - at > limit) reader.oversize(newline - at, place);
    else reader.line(bytes, at, newline, place);
    place.offset += newline - at + 1;
    at = newline + 1;
  }
}

/** Reads on to the end of a line that is too long; gives the bytes behind it, at the start of the buffer. */
async function passOver(
  source: ByteSequence,
  buffer: Buffer,
  seen: number,
  place: { number: number; offset: number; terminated: boolean },
  reader: RangeReader,
): Promise<number> {
  let length = seen;
  for (;;) {
    const bytes = await source.read(buffer);
    const newline = buffer.subarray(0, bytes).indexOf(NEWLINE);
    if (bytes > 0 && newline < 0) {
      length += bytes;
      continue;
    }
    length += Math.max(newline, 0);
    place.number++;
    place.terminated = bytes > 0;
    reader.oversize(length, place);
    place.offset += length + 1;
    place.terminated = true;
    if (bytes === 0) return 0;
    buffer.copyWithin(0, newline + 1, bytes);
    const rest = bytes - newline - 1;
    // An empty rest does not mean that the input has ended.
    return rest > 0 ? rest : await source.read(buffer);
  }
}

function lastNewline(bytes: Buffer, from: number, end: number): number {
  const at = bytes.lastIndexOf(NEWLINE, end - 1);
  return at < from ? -1 : at;
}
