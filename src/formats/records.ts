import { readContent } from '../entries/damage.ts';
import { parseExact } from '../json/exact.ts';
import { type JsonObject, parseObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { Block, readBlocks } from '../lines/reader.ts';
import { LINE_FIELDS, TEXT_FIELDS, type TextScanner } from '../scanner/texts.ts';
import type { LongTexts } from './long-texts.ts';

/** A record of a log that has one JSON object per line. */
export interface SourceRecord {
  readonly value: JsonObject;
  readonly line: number;
  /** Where its line is in the file, in bytes. */
  readonly offset: number;
  readonly length: number;
  /** How many long texts were cut before it. */
  readonly textsBefore: number;
}

type OnDamage = (line: number, damage: string, records: number) => void;

/** Shorter logs are read sooner than the scanner is compiled. */
const WORTH_A_SCANNER = 1024 * 1024;
/** What may stand before a text that is cut. */
const LONGEST_KEY = 40;

/** The records of a log, a batch at a time; damaged lines go to `onDamage`, with the number of whole records in them. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  onDamage: OnDamage,
  texts?: LongTexts,
): AsyncGenerator<SourceRecord[]> {
  const reader = new RecordReader(onDamage, texts);
  for await (const piece of readBlocks(chunks)) {
    if (texts?.isWanted && piece.offset > WORTH_A_SCANNER && !reader.scanner) {
      const { TextScanner } = await import('../scanner/texts.ts');
      reader.scanner = TextScanner.start();
    }
    yield reader.take(piece);
  }
}

class RecordReader {
  scanner: TextScanner | undefined;
  readonly #onDamage: OnDamage;
  readonly #texts: LongTexts | undefined;
  #records: SourceRecord[] = [];

  constructor(onDamage: OnDamage, texts: LongTexts | undefined) {
    this.#onDamage = onDamage;
    this.#texts = texts;
  }

  take(piece: Block | Line): SourceRecord[] {
    this.#records = [];
    if (!(piece instanceof Block)) this.#line(piece);
    else if (piece.encoding === 'invalid') for (const line of piece.split()) this.#line(line);
    else if (this.scanner && this.#texts && this.scanner.load(piece.bytes))
      this.#scanned(piece, this.scanner, this.#texts);
    else {
      const { bytes } = piece;
      let { number } = piece;
      for (let start = 0; start < bytes.length; ) {
        const end = bytes.indexOf(0x0a, start);
        const value = parseExact(bytes.toString('utf8', start, end));
        this.#put(value, piece, start, end - start, number++, this.#texts?.count ?? 0);
        start = end + 1;
      }
      piece.lines = number - piece.number;
    }
    return this.#records;
  }

  #scanned(block: Block, scanner: TextScanner, held: LongTexts): void {
    const { bytes } = block;
    const { lines, texts } = scanner;
    const encoding = block.encoding === 'ascii' ? 'latin1' : 'utf8';
    let { number } = block;
    for (let from = 0; from < bytes.length; ) {
      const count = scanner.scan(from);
      let next = 0;
      for (let at = 0; at < count * LINE_FIELDS; at += LINE_FIELDS) {
        const start = lines[at] as number;
        const length = lines[at + 1] as number;
        const { count: before } = held;
        let text = '';
        let done = start;
        for (let left = lines[at + 3] as number; left > 0; left--, next += TEXT_FIELDS) {
          const open = (texts[next] as number) - 1;
          if (!held.mayCut.test(bytes.toString('latin1', Math.max(start, open - LONGEST_KEY), open))) continue;
          const cut = texts[next + 1] as number;
          text += bytes.toString(encoding, done, cut);
          done = texts[next + 2] as number;
          text += held.add(bytes.toString('latin1', cut, done), texts[next + 3] as number);
        }
        text += bytes.toString(encoding, done, start + length);
        const value = lines[at + 2] === 0 ? parseObject(text) : parseExact(text);
        this.#put(value, block, start, length, number++, before);
        from = start + length + 1;
      }
    }
    block.lines = number - block.number;
  }

  #put(value: JsonObject | undefined, block: Block, start: number, length: number, line: number, textsBefore: number) {
    if (value) this.#records.push({ value, line, offset: block.offset + start, length, textsBefore });
    else this.#damaged(block.line(start, length, line));
  }

  #line(line: Line): void {
    const { number, offset, length } = line;
    const value = line.oversize === 0 && line.wellFormed ? parseExact(line.text) : undefined;
    if (value) this.#records.push({ value, line: number, offset, length, textsBefore: this.#texts?.count ?? 0 });
    else this.#damaged(line);
  }

  #damaged(line: Line): void {
    if (line.blank) return;
    const { damage = 'not-json', objects } = readContent(line, undefined);
    this.#onDamage(line.number, damage, Math.max(1, objects.length));
  }
}
