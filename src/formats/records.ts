import { readContent } from '../entries/damage.ts';
import { parseExact } from '../json/exact.ts';
import { parseObject } from '../json/value.ts';
import type { Line } from '../lines/line.ts';
import { Block, readBlocks } from '../lines/reader.ts';
import { FIELD, FIELDS, TEXT_FIELD, TEXT_FIELDS } from '../scanner/layout.ts';
import type { Scanner } from '../scanner/scanner.ts';
import type { OnDamage, SourceRecord } from './format.ts';
import type { LongTexts } from './long-texts.ts';

/** Shorter logs are read sooner than the scanner is compiled. */
const WORTH_A_SCANNER = 1024 * 1024;
/** What may stand before a text that is cut. */
const LONGEST_KEY = 40;

/** The records of a log, a batch at a time, each read when its turn comes; damaged lines go to `onDamage`, with the number of whole records in them. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  onDamage: OnDamage,
  texts?: LongTexts,
): AsyncGenerator<Iterable<SourceRecord>> {
  const reader = new RecordReader(onDamage, texts);
  for await (const piece of readBlocks(chunks)) {
    if (texts?.isWanted && piece.offset > WORTH_A_SCANNER && !reader.scanner) {
      const { makeScanner } = await import('../scanner/scanner.ts');
      reader.scanner = makeScanner('compiled', texts.key);
    }
    yield reader.take(piece);
  }
}

class RecordReader {
  scanner: Scanner | undefined;
  readonly #onDamage: OnDamage;
  readonly #texts: LongTexts | undefined;

  constructor(onDamage: OnDamage, texts: LongTexts | undefined) {
    this.#onDamage = onDamage;
    this.#texts = texts;
  }

  *take(piece: Block | Line): Generator<SourceRecord, void, void> {
    if (!(piece instanceof Block)) yield* this.#line(piece);
    else if (piece.encoding === 'invalid') for (const line of piece.split()) yield* this.#line(line);
    else if (this.scanner && this.#texts && this.scanner.load(piece.bytes))
      yield* this.#scanned(piece, this.scanner, this.#texts);
    else {
      const { bytes } = piece;
      let { number } = piece;
      for (let start = 0; start < bytes.length; ) {
        const end = bytes.indexOf(0x0a, start);
        const value = parseExact(bytes.toString('utf8', start, end));
        const textsBefore = this.#texts?.count ?? 0;
        if (value) yield { value, line: number, offset: piece.offset + start, length: end - start, textsBefore };
        else this.#damaged(piece.line(start, end - start, number));
        number++;
        start = end + 1;
      }
      piece.lines = number - piece.number;
    }
  }

  *#scanned(block: Block, scanner: Scanner, held: LongTexts): Generator<SourceRecord, void, void> {
    const { bytes } = block;
    const { records, calls: texts } = scanner;
    const encoding = block.encoding === 'ascii' ? 'latin1' : 'utf8';
    let { number } = block;
    for (let from = 0; from < bytes.length; ) {
      const count = scanner.scanTexts(from);
      let next = 0;
      for (let at = 0; at < count * FIELDS; at += FIELDS) {
        const start = records[at + FIELD.start] as number;
        const length = records[at + FIELD.length] as number;
        const { count: before } = held;
        let text = '';
        let done = start;
        for (let left = records[at + TEXT_FIELD.texts] as number; left > 0; left--, next += TEXT_FIELDS) {
          const open = (texts[next] as number) - 1;
          if (!held.mayCut.test(bytes.toString('latin1', Math.max(start, open - LONGEST_KEY), open))) continue;
          const cut = texts[next + 1] as number;
          text += bytes.toString(encoding, done, cut);
          done = texts[next + 2] as number;
          text += held.add(bytes.toString('latin1', cut, done), texts[next + 3] as number);
        }
        text += bytes.toString(encoding, done, start + length);
        const isSuspect = records[at + TEXT_FIELD.suspect] === 1;
        const value = isSuspect ? parseExact(text) : parseObject(text);
        const json = isSuspect || records[at + TEXT_FIELD.spaced] === 1 ? undefined : text;
        if (value) yield { value, line: number, offset: block.offset + start, length, textsBefore: before, json };
        else this.#damaged(block.line(start, length, number));
        number++;
        from = start + length + 1;
      }
    }
    block.lines = number - block.number;
  }

  *#line(line: Line): Generator<SourceRecord, void, void> {
    const { number, offset, length } = line;
    const value = line.oversize === 0 && line.wellFormed ? parseExact(line.text) : undefined;
    if (value) yield { value, line: number, offset, length, textsBefore: this.#texts?.count ?? 0 };
    else this.#damaged(line);
  }

  #damaged(line: Line): void {
    if (line.blank) return;
    const { damage = 'not-json', objects } = readContent(line, undefined);
    this.#onDamage(line.number, damage, Math.max(1, objects.length));
  }
}
