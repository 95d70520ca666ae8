import type { Splice } from '../json/text.ts';

/** A part of a line on its way out: bytes, or a string that holds them one to a character. */
export type Piece = string | Buffer;

/** The content of a long string in the place of an image. */
export interface LongString {
  readonly length: number;
  /** The bytes as they stand in the line. */
  content(): Piece;
  /** What they encode, if they are canonical base64. Gone when another one is decoded. */
  decoded(): Buffer | undefined;
}

/**
 * A line that is known to be a JSON object, with '' where its images stand: what looks at it need not go through
 * megabytes, and what is not replaced leaves as the bytes that came.
 */
export interface ThinLine {
  readonly number: number;
  readonly text: string;
  /** The strings that were left out, in their order, by where their quotes open in the text. */
  readonly long: ReadonlyMap<number, LongString>;
}

/** The whole line again, with its changes. */
export function piecesOf(line: ThinLine, splices: readonly Splice[]): Piece[] {
  const replaced = new Set(splices.map((splice) => splice.start));
  const inserts: { readonly start: number; readonly end: number; readonly piece: Piece }[] = splices.map((splice) => ({
    start: splice.start,
    end: splice.end,
    piece: splice.text,
  }));
  for (const [quote, long] of line.long) {
    const start = quote + 1;
    if (!replaced.has(start)) inserts.push({ start, end: start, piece: long.content() });
  }
  inserts.sort((a, b) => a.start - b.start);
  const pieces: Piece[] = [];
  let done = 0;
  for (const { start, end, piece } of inserts) {
    pieces.push(line.text.slice(done, start), piece);
    done = end;
  }
  pieces.push(line.text.slice(done));
  return pieces;
}
