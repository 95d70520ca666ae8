import { numberOf, parseExact } from '../json/exact.ts';
import type { JsonObject } from '../json/value.ts';
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
    const pass: SequencePass = { isReordered: false, records: (...from) => byNumber(pass, ...from) };
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

async function* byNumber(
  pass: SequencePass,
  source: LogSource,
  chunks: AsyncIterable<Uint8Array>,
  onDamage: OnDamage,
): AsyncGenerator<SourceRecord> {
  const index: { readonly number: number; readonly line: number; readonly offset: number; readonly length: number }[] =
    [];
  let number = Number.NEGATIVE_INFINITY;
  for await (const records of readRecords(chunks, onDamage)) {
    for (const { value, line, offset, length } of records) {
      // A record without a number follows the one before it.
      number = seqOf(value) ?? number;
      index.push({ number, line, offset, length });
    }
  }
  const sorted = index.toSorted((one, other) => one.number - other.number);
  pass.isReordered = sorted.every((one, at) => one.number !== sorted[at - 1]?.number);
  for (const { line, offset, length } of pass.isReordered ? sorted : index) {
    const bytes = Buffer.alloc(length);
    const read = await source.readAt(bytes, offset);
    const value = parseExact(bytes.toString('utf8', 0, read));
    if (value) yield { value, line, offset, length, textsBefore: 0 };
  }
}
