import { blockEncoding, Line } from './line.ts';

/** The lines of bytes that are all in memory already, numbered and placed as a part of a larger file. */
export function splitLines(bytes: Buffer, firstNumber = 1, firstOffset = 0): Line[] {
  const encoding = blockEncoding(bytes);
  const lines: Line[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    const stop = end < 0 ? bytes.length : end;
    lines.push(
      new Line(
        firstNumber + lines.length,
        firstOffset + start,
        bytes.toString('latin1', start, stop),
        end >= 0,
        encoding,
      ),
    );
    start = stop + 1;
  }
  return lines;
}
