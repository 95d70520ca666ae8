import { numberOf, parseExact } from '../json/exact.ts';
import type { JsonObject } from '../json/value.ts';
import { float64Column, type NumberColumn, uint32Column } from '../util/column.ts';
import type { LogSource, NativeSink, OnDamage, SourceRecord } from './format.ts';
import type { NativeWriter } from './native-writer.ts';
import { readRecords } from './records.ts';

/** The number of a record. */
export function seqOf({ seq }: JsonObject): number | undefined {
  return numberOf(seq);
}

/** Reports records whose number does not follow the one before. */
export class SequenceCheck {
  readonly #writer: NativeWriter;
  #seq: number | undefined;

  constructor(writer: NativeWriter) {
    this.#writer = writer;
  }

  add(record: JsonObject, line: number): void {
    const seq = seqOf(record);
    if (this.#seq !== undefined && seq !== this.#seq + 1) this.#writer.loss('SEQ_GAP', 'damaged', line);
    this.#seq = seq ?? (this.#seq ?? -1) + 1;
  }
}

/** One pass over a log: in the order of the file, or by the numbers of its records. */
export interface SequencePass {
  /** The records are not in the order of the file. */
  isReordered: boolean;
  records(source: LogSource, chunks: AsyncIterable<Uint8Array>, onDamage: OnDamage): AsyncIterable<SourceRecord>;
}

/** A number is lower than one before it. */
class OutOfOrder extends Error {}

/**
 * Converts a log whose records are numbered. They are read in the order of the file; where a number is out of order,
 * the conversion starts again and reads them by number. Where numbers repeat, the order of the file stays.
 */
export async function inSequence(sink: NativeSink, convert: (pass: SequencePass) => Promise<void>): Promise<void> {
  try {
    await convert({ isReordered: false, records: (_source, chunks, onDamage) => inFileOrder(chunks, onDamage) });
  } catch (error) {
    if (!(error instanceof OutOfOrder)) throw error;
    sink.restart();
    const pass: SequencePass = {
      isReordered: false,
      async *records(source, chunks, onDamage) {
        const index = await indexOf(chunks, onDamage);
        const { order, isReordered } = orderOf(index.numbers);
        pass.isReordered = isReordered;
        yield* recordsAt(source, index, order);
      },
    };
    await convert(pass);
  }
}

async function* inFileOrder(chunks: AsyncIterable<Uint8Array>, onDamage: OnDamage): AsyncGenerator<SourceRecord> {
  let last = Number.NEGATIVE_INFINITY;
  for await (const records of readRecords(chunks, onDamage)) {
    for (const record of records) {
      const number = seqOf(record.value) ?? last;
      if (number < last) throw new OutOfOrder();
      last = number;
      yield record;
    }
  }
}

/** The places and the numbers of the records. */
interface Index {
  readonly numbers: NumberColumn;
  readonly offsets: NumberColumn;
  readonly lengths: NumberColumn;
  readonly lines: NumberColumn;
}

async function indexOf(chunks: AsyncIterable<Uint8Array>, onDamage: OnDamage): Promise<Index> {
  const index = { numbers: float64Column(), offsets: float64Column(), lengths: uint32Column(), lines: uint32Column() };
  let last = Number.NEGATIVE_INFINITY;
  for await (const records of readRecords(chunks, onDamage)) {
    for (const { value, offset, length, line } of records) {
      // A record without a number follows the one before it.
      last = seqOf(value) ?? last;
      index.numbers.push(last);
      index.offsets.push(offset);
      index.lengths.push(length);
      index.lines.push(line);
    }
  }
  return index;
}

async function* recordsAt(source: LogSource, index: Index, order: Uint32Array): AsyncGenerator<SourceRecord> {
  for (const at of order) {
    const [offset, length, line] = [index.offsets.at(at), index.lengths.at(at), index.lines.at(at)];
    const bytes = Buffer.alloc(length);
    const read = await source.readAt(bytes, offset);
    const value = parseExact(bytes.toString('utf8', 0, read));
    if (value) yield { value, line, offset, length, textsBefore: 0 };
  }
}

function orderOf(numbers: NumberColumn): { readonly order: Uint32Array; readonly isReordered: boolean } {
  const order = Uint32Array.from({ length: numbers.size }, (_, at) => at);
  const sorted = order.slice().sort((a, b) => numbers.at(a) - numbers.at(b) || a - b);
  const isRepeated = sorted.some(
    (at, index) => index > 0 && numbers.at(at) === numbers.at(sorted[index - 1] as number),
  );
  return isRepeated ? { order, isReordered: false } : { order: sorted, isReordered: true };
}
