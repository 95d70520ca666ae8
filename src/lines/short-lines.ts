import { FIELD, FIELDS, OUTLINE_FIELD, TEXT_FIELD, TEXT_FIELDS } from '../scanner/layout.ts';
import type { ReadNames, Scanner } from '../scanner/scanner.ts';
import { textOf } from './line.ts';
import type { LineBlock } from './reader.ts';

/** What may stand before a text that is cut. */
const LONGEST_KEY = 40;

/** Which long texts are cut. */
export interface Cuts {
  /** What stands before a text that may be cut, up to its opening quote. */
  readonly mayCut: RegExp;
  /** What stands in the place of the rest of a text, as JSON: where it is in the block, and its length as a string. */
  readonly mark: (start: number, end: number, length: number) => string;
}

/** A line of a block: where it starts there, its length without the newline, and its text. */
export interface ReadLine {
  readonly start: number;
  readonly length: number;
  readonly text: string;
  /** Not all of the line is in the text. */
  readonly isCut: boolean;
}

/** The same with marks for what was cut. */
interface ShortLine extends ReadLine {
  /** As TEXT_FIELD says. */
  readonly isSuspect: boolean;
  readonly isSpaced: boolean;
}

/** The lines of a block that the scanner has loaded. What is cut off a line is valid JSON; the rest is to be read. */
export function* shortLines(
  block: LineBlock,
  scanner: Scanner,
  { mayCut, mark }: Cuts,
): Generator<ShortLine, void, void> {
  const { bytes } = block;
  const { records, calls: texts } = scanner;
  const encoding = block.encoding === 'ascii' ? 'latin1' : 'utf8';
  for (let from = 0; from < bytes.length; ) {
    const count = scanner.scanTexts(from);
    let next = 0;
    for (let at = 0; at < count * FIELDS; at += FIELDS) {
      const start = records[at + FIELD.start] as number;
      const length = records[at + FIELD.length] as number;
      let text = '';
      let done = start;
      for (let left = records[at + TEXT_FIELD.texts] as number; left > 0; left--, next += TEXT_FIELDS) {
        const open = (texts[next] as number) - 1;
        if (!mayCut.test(bytes.toString('latin1', Math.max(start, open - LONGEST_KEY), open))) continue;
        const cut = texts[next + 1] as number;
        text += bytes.toString(encoding, done, cut);
        done = texts[next + 2] as number;
        text += mark(cut, done, texts[next + 3] as number);
      }
      const isCut = done > start;
      text += bytes.toString(encoding, done, start + length);
      const isSuspect = records[at + TEXT_FIELD.suspect] === 1;
      yield { start, length, text, isCut, isSuspect, isSpaced: records[at + TEXT_FIELD.spaced] === 1 };
      from = start + length + 1;
    }
  }
}

/** The lines of a block that the scanner has loaded, with only the members that are read. */
export function* outlines(block: LineBlock, scanner: Scanner, names: ReadNames): Generator<ReadLine, void, void> {
  const { bytes } = block;
  const { records } = scanner;
  for (let from = 0; from < bytes.length; ) {
    const count = scanner.outline(from, names);
    for (let at = 0; at < count * FIELDS; at += FIELDS) {
      const start = records[at + FIELD.start] as number;
      const length = records[at + FIELD.length] as number;
      const kept = records[at + OUTLINE_FIELD.length] as number;
      const isCut = kept > 0;
      const text = isCut
        ? scanner.outlineText(start, kept, records[at + OUTLINE_FIELD.isAscii] === 1)
        : bytes.toString('utf8', start, start + length);
      yield { start, length, text, isCut };
      from = start + length + 1;
    }
  }
}

/** Whole lines as they are. */
export function* wholeLines(bytes: Buffer): Generator<ReadLine, void, void> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    yield { start, length: end - start, text: textOf(bytes.subarray(start, end)), isCut: false };
    start = end + 1;
  }
}
