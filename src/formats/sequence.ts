import { parseExact } from '../json/exact.ts';
import type { JsonObject } from '../json/value.ts';
import { float64Column, uint32Column } from '../util/column.ts';
import type { LogSource, NativeSink, OnDamage, SourceRecord } from './format.ts';
import { readRecords } from './records.ts';

/** How a log is read: as it stands in the file, or once more by its numbers. */
export interface SequencePass {
  records(source: LogSource, chunks: AsyncIterable<Uint8Array>, onDamage: OnDamage): AsyncIterable<SourceRecord>;
}

/** A number came that is lower than one before it. */
class OutOfOrder extends Error {}

/**
 * Converts a log whose records are numbered. They are taken as they come; where they turn out not to be in order, the
 * conversion starts again and gets them by their numbers. Where numbers repeat, the order of the file is all there is.
 */
export async function inSequence(
  numberOf: (record: JsonObject) => number | undefined,
  sink: NativeSink,
  convert: (pass: SequencePass) => Promise<void>,
): Promise<void> {
  try {
    await convert({ records: (_source, chunks, onDamage) => asTheyCome(chunks, onDamage, numberOf) });
  } catch (error) {
    if (!(error instanceof OutOfOrder)) throw error;
    sink.restart();
    await convert({ records: (source, chunks, onDamage) => byNumber(source, chunks, onDamage, numberOf) });
  }
}

async function* asTheyCome(
  chunks: AsyncIterable<Uint8Array>,
  onDamage: OnDamage,
  numberOf: (record: JsonObject) => number | undefined,
): AsyncGenerator<SourceRecord> {
  let last = Number.NEGATIVE_INFINITY;
  for await (const records of readRecords(chunks, onDamage)) {
    for (const record of records) {
      const number = numberOf(record.value) ?? last;
      if (number < last) throw new OutOfOrder();
      last = number;
      yield record;
    }
  }
}

async function* byNumber(
  source: LogSource,
  chunks: AsyncIterable<Uint8Array>,
  onDamage: OnDamage,
  numberOf: (record: JsonObject) => number | undefined,
): AsyncGenerator<SourceRecord> {
  const [numbers, offsets, lengths, lines] = [float64Column(), float64Column(), uint32Column(), uint32Column()];
  let last = Number.NEGATIVE_INFINITY;
  for await (const records of readRecords(chunks, onDamage)) {
    for (const { value, offset, length, line } of records) {
      // One without a number stays behind the record before it.
      last = numberOf(value) ?? last;
      numbers.push(last);
      offsets.push(offset);
      lengths.push(length);
      lines.push(line);
    }
  }
  for (const at of orderOf(numbers)) {
    const bytes = Buffer.alloc(lengths.at(at));
    const read = await source.readAt(bytes, offsets.at(at));
    const value = parseExact(bytes.toString('utf8', 0, read));
    if (value) yield { value, line: lines.at(at), offset: offsets.at(at), length: lengths.at(at), textsBefore: 0 };
  }
}

function orderOf(numbers: { readonly size: number; at(index: number): number }): Uint32Array {
  const order = Uint32Array.from({ length: numbers.size }, (_, at) => at);
  const sorted = order.slice().sort((a, b) => numbers.at(a) - numbers.at(b) || a - b);
  const isRepeated = sorted.some(
    (at, index) => index > 0 && numbers.at(at) === numbers.at(sorted[index - 1] as number),
  );
  return isRepeated ? order : sorted;
}
