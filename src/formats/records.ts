import { type IsEntry, readContent } from '../entries/damage.ts';
import { parseExact } from '../json/exact.ts';
import { parseObject } from '../json/value.ts';
import { encodeUtf8, Line } from '../lines/line.ts';
import { countingSource, type SourceFacts } from './counting-source.ts';
import { type CutLines, cutLines, LINE_FACTS, type OddLine, REST_FACTS, SUSPECT } from './cut-lines.ts';
import type { CountedLines, LogSource, OnDamage, SourceRecord } from './format.ts';
import type { LongTexts } from './long-texts.ts';

/**
 * The records of a log, a batch at a time, each read when its turn comes; damaged lines go to `onDamage`, with the
 * number of whole records in them.
 */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  onDamage: OnDamage,
  texts?: LongTexts,
  read = parseExact,
  isRecord?: IsEntry,
): AsyncGenerator<Iterable<SourceRecord>> {
  const damaged = (line: Line): void => reportDamage(line, onDamage, isRecord);
  for await (const lines of cutLines(chunks, texts?.cutting)) yield recordsIn(lines, damaged, texts, read);
}

/** The same; what was counted of the log is in `facts` at the end. */
export function countedRecords(
  source: LogSource,
  onDamage: OnDamage,
  texts: LongTexts,
  isRecord?: IsEntry,
): { readonly batches: AsyncGenerator<Iterable<SourceRecord>>; readonly facts: () => SourceFacts } {
  const here = countingSource(source);
  let ahead: CountedLines | undefined;
  async function* batches(): AsyncGenerator<Iterable<SourceRecord>> {
    ahead = texts.cutting && (await source.readAhead?.(texts.cutting));
    const read = source.isOnlyRead ? parseObject : parseExact;
    const damaged = (line: Line): void => reportDamage(line, onDamage, isRecord);
    if (!ahead) yield* readRecords(here.chunks, onDamage, texts, read, isRecord);
    else for await (const lines of ahead.lines) yield recordsIn(lines, damaged, texts);
  }
  return { batches: batches(), facts: () => (ahead ?? here).facts() };
}

function* recordsIn(
  piece: CutLines | OddLine,
  damaged: (line: Line) => void,
  held?: LongTexts,
  read = parseExact,
): Generator<SourceRecord> {
  if ('line' in piece) {
    const line = new Line(...piece.line);
    const { number, offset, length } = line;
    const text = line.oversize === 0 && line.wellFormed ? line.text : '';
    const mark = markBytes(text, number);
    const value = read(mark > 0 ? text.slice(1) : text);
    if (value)
      yield { value, line: number, offset: offset + mark, length: length - mark, textsBefore: held?.count ?? 0 };
    else damaged(line);
    return;
  }
  const { texts, facts, rests } = piece;
  const bytes = Buffer.from(piece.bytes.buffer);
  let { number, offset } = piece;
  let next = 0;
  for (let at = 0; at < texts.length; at++) {
    const whole = texts[at] as string;
    const mark = markBytes(whole, number);
    const text = mark > 0 ? whole.slice(1) : whole;
    const length = facts[at * LINE_FACTS] as number;
    const flags = facts[at * LINE_FACTS + 1] as number;
    const textsBefore = held?.count ?? 0;
    for (let left = facts[at * LINE_FACTS + 2] as number; left > 0; left--, next += REST_FACTS)
      held?.add({
        bytes,
        start: rests[next] as number,
        end: rests[next + 1] as number,
        length: rests[next + 2] as number,
      });
    const value = (flags & SUSPECT) > 0 ? read(text) : parseObject(text);
    if (value) {
      const json = flags === 0 ? text : undefined;
      yield { value, line: number, offset: offset + mark, length: length - mark, textsBefore, json };
    } else damaged(new Line(number, offset, encodeUtf8(held?.wholeJson(text) ?? text), true, 'utf8'));
    number++;
    offset += length + 1;
  }
}

/** The bytes of the byte order mark that the first line may start with. */
function markBytes(text: string, number: number): number {
  return number === 1 && text.startsWith('\ufeff') ? 3 : 0;
}

function reportDamage(line: Line, onDamage: OnDamage, isRecord: IsEntry | undefined): void {
  if (line.blank) return;
  const { damage = 'not-json', objects } = readContent(line, undefined, isRecord);
  onDamage(line.number, damage, Math.max(1, objects.length));
}
