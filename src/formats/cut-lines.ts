import type { Line } from '../lines/line.ts';
import { Block, readBlocks } from '../lines/reader.ts';
import { FIELD, FIELDS, TEXT_FIELD, TEXT_FIELDS } from '../scanner/layout.ts';
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
  /** What was cut: JSON without its quotes, one character per byte, and its length as a string. */
  readonly rests: readonly string[];
  readonly lengths: readonly number[];
}

/** A line that needs a look of its own. */
export interface OddLine {
  readonly line: ConstructorParameters<typeof Line>;
}

/** Of each line: its bytes, SUSPECT and SPACED, and how many texts were cut. */
export const LINE_FACTS = 3;
/** It may have a number that JSON.parse does not give back as it was. */
export const SUSPECT = 1;
/** It has white space between its values, or nobody has looked. */
export const SPACED = 2;

/** Shorter logs are read sooner than the scanner is compiled. */
const WORTH_A_SCANNER = 1024 * 1024;
/** What may stand before a text that is cut. */
const LONGEST_KEY = 40;

/** The lines of a log, a block at a time; long texts are cut where the log is worth it. */
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
    if (!(piece instanceof Block)) yield oddLine(piece);
    else if (piece.encoding === 'invalid') for (const line of piece.split()) yield oddLine(line);
    else {
      const lines = cutting && scanner?.load(piece.bytes) ? scanned(piece, scanner, cutting, cut) : wholeLines(piece);
      cut += lines.rests.length;
      yield lines;
    }
  }
}

function oddLine(line: Line): OddLine {
  return { line: [line.number, line.offset, line.raw, line.terminated, line.encoding, line.oversize] };
}

function wholeLines(block: Block): CutLines {
  const { bytes, number, offset } = block;
  const texts: string[] = [];
  const facts: number[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    texts.push(bytes.toString('utf8', start, end));
    facts.push(end - start, SUSPECT | SPACED, 0);
    start = end + 1;
  }
  block.lines = texts.length;
  return { number, offset, texts, facts, rests: [], lengths: [] };
}

function scanned(block: Block, scanner: Scanner, { mayCut, mark }: Cutting, before: number): CutLines {
  const { bytes, number, offset } = block;
  const { records, calls: found } = scanner;
  const encoding = block.encoding === 'ascii' ? 'latin1' : 'utf8';
  const [texts, facts, rests, lengths]: [string[], number[], string[], number[]] = [[], [], [], []];
  for (let from = 0; from < bytes.length; ) {
    const count = scanner.scanTexts(from);
    let next = 0;
    for (let at = 0; at < count * FIELDS; at += FIELDS) {
      const start = records[at + FIELD.start] as number;
      const length = records[at + FIELD.length] as number;
      const restsBefore = rests.length;
      let text = '';
      let done = start;
      for (let left = records[at + TEXT_FIELD.texts] as number; left > 0; left--, next += TEXT_FIELDS) {
        const open = (found[next] as number) - 1;
        if (!mayCut.test(bytes.toString('latin1', Math.max(start, open - LONGEST_KEY), open))) continue;
        const cut = found[next + 1] as number;
        text += `${bytes.toString(encoding, done, cut)}${mark}${before + rests.length}\\"`;
        done = found[next + 2] as number;
        rests.push(bytes.toString('latin1', cut, done));
        lengths.push(found[next + 3] as number);
      }
      texts.push(text + bytes.toString(encoding, done, start + length));
      const isSuspect = records[at + TEXT_FIELD.suspect] === 1;
      const isSpaced = records[at + TEXT_FIELD.spaced] === 1;
      facts.push(length, (isSuspect ? SUSPECT : 0) | (isSpaced ? SPACED : 0), rests.length - restsBefore);
      from = start + length + 1;
    }
  }
  block.lines = texts.length;
  return { number, offset, texts, facts, rests, lengths };
}
