import type { Line } from '../lines/line.ts';
import { LineBlock, readBlocks } from '../lines/reader.ts';
import { shortLines, wholeLines } from '../lines/short-lines.ts';
import { WORTH_A_SCANNER } from '../scanner/layout.ts';
import type { Scanner } from '../scanner/scanner.ts';

/** Which texts are cut, and how the marks that stand for them start. */
export interface Cutting {
  /** What stands before a text that may be cut, up to its opening quote. */
  readonly mayCut: RegExp;
  readonly mark: string;
  /** 8 random bytes. */
  readonly key: Uint8Array;
}

/** Whole lines of a log as texts, of which the long ones are cut: plain data, which may come from another thread. */
export interface CutLines {
  /** Of the first line. */
  readonly number: number;
  readonly offset: number;
  readonly texts: readonly string[];
  /** LINE_FACTS numbers for each line. */
  readonly facts: readonly number[];
  /** Where what was cut is in the bytes: JSON without its quotes. REST_FACTS numbers for each. */
  readonly rests: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A line that needs a look of its own. */
export interface OddLine {
  readonly line: ConstructorParameters<typeof Line>;
}

/** Of each line: its bytes, SUSPECT and SPACED, and how many texts were cut. */
export const LINE_FACTS = 3;
/** Of each text that was cut: the start and the end of its rest, and the length of that as a string. */
export const REST_FACTS = 3;
/** It may have a number that JSON.parse does not give back as it was. */
export const SUSPECT = 1;
/** It has white space between its values, or nobody has looked. */
const SPACED = 2;

/** So many bytes of lines that are not cut are read at once: whoever looks at the first ones pays for no more. */
const READ_AT_ONCE = 64 * 1024;

/** The lines of a log, some at a time; long texts are cut where the log is worth it. */
export async function* cutLines(
  chunks: AsyncIterable<Uint8Array>,
  cutting: Cutting | undefined,
): AsyncGenerator<CutLines | OddLine> {
  let scanner: Scanner | undefined;
  let cut = 0;
  for await (const piece of readBlocks(chunks)) {
    if (cutting && piece.offset > WORTH_A_SCANNER && !scanner) {
      const { makeScanner } = await import('../scanner/scanner.ts');
      scanner = makeScanner('compiled', cutting.key);
    }
    if (!(piece instanceof LineBlock)) yield oddLine(piece);
    else if (!piece.wellFormed) for (const line of piece.split()) yield oddLine(line);
    else if (!cutting || !scanner?.load(piece.bytes)) yield* plainLines(piece);
    else {
      const lines = shortened(piece, cutting, scanner, cut);
      cut += lines.rests.length / REST_FACTS;
      yield lines;
    }
  }
}

function oddLine(line: Line): OddLine {
  return { line: [line.number, line.offset, line.raw, line.terminated, line.encoding, line.oversize] };
}

function* plainLines(block: LineBlock): Generator<CutLines> {
  let { number } = block;
  let from = 0;
  let [texts, facts]: [string[], number[]] = [[], []];
  for (const { start, length, text } of wholeLines(block.bytes)) {
    texts.push(text);
    facts.push(length, SUSPECT | SPACED, 0);
    const end = start + length + 1;
    if (end - from < READ_AT_ONCE && end < block.bytes.length) continue;
    yield { number, offset: block.offset + from, texts, facts, rests: [], bytes: new Uint8Array() };
    number += texts.length;
    from = end;
    [texts, facts] = [[], []];
  }
  block.lines = number - block.number;
}

/** The lines of a block that the scanner has loaded. */
function shortened(block: LineBlock, { mayCut, mark: start }: Cutting, scanner: Scanner, before: number): CutLines {
  const { number, offset } = block;
  const [texts, facts, rests]: [string[], number[], number[]] = [[], [], []];
  let next = before;
  const mark = (from: number, end: number, length: number): string => {
    rests.push(from, end, length);
    return `${start}${next++}\\"`;
  };
  let cut = before;
  for (const { length, text, isSuspect, isSpaced } of shortLines(block, scanner, { mayCut, mark })) {
    texts.push(text);
    facts.push(length, (isSuspect ? SUSPECT : 0) | (isSpaced ? SPACED : 0), next - cut);
    cut = next;
  }
  block.lines = texts.length;
  // The memory of the block is used again.
  return { number, offset, texts, facts, rests, bytes: new Uint8Array(rests.length > 0 ? block.bytes : []) };
}
