import { BYTE_ORDER_MARK, type Damage, readContent } from '../entries/damage.ts';
import { isHeader, isTitleSlot, versionOf } from '../entries/envelope-check.ts';
import { type Envelope, envelopeOf } from '../json/envelope.ts';
import type { JsonObject } from '../json/value.ts';
import { readLines } from '../lines/reader.ts';
import { type Bytes, chunksOf, optionsOf } from './arguments.ts';

interface ObjectPlace {
  /** Counted from 1. */
  readonly line: number;
  /** The byte at which the line starts. */
  readonly offset: number;
}

/** An object of the log: a header, omp's title slot or an entry. */
export interface ReadObject extends ObjectPlace, Envelope {
  readonly kind: 'header' | 'title' | 'entry';
  readonly value: JsonObject;
  /** Its JSON text as it is in the log. */
  readonly text: string;
  /** What is wrong with the bytes of its line, where it is whole in spite of that. */
  readonly damage?: DamageName;
}

/** A damaged line. Objects of it that are whole follow. */
export interface ReadDamage extends ObjectPlace {
  readonly kind: 'damage';
  readonly damage: DamageName;
  /** How many bytes the line has. */
  readonly length: number;
}

export type DamageName = Damage | 'byte-order-mark';

export interface ReadEntriesOptions {
  /** A longer line is reported as damage and not held: 256 MiB by default. */
  readonly maxLineBytes?: number;
}

/**
 * All objects of a log in file order, each with its line and its text, and the damage between them; nothing is thrown
 * because of what a log holds. Blank lines are passed over. Holds one piece of the input and one line.
 */
export function readEntries(
  source: Bytes,
  options?: ReadEntriesOptions,
): AsyncGenerator<ReadObject | ReadDamage, void, void> {
  const { maxLineBytes } = optionsOf('readEntries', options, { maxLineBytes: 'bytes' });
  return entriesOf(chunksOf('readEntries', source), maxLineBytes);
}

async function* entriesOf(
  chunks: AsyncIterable<Buffer>,
  maxLineBytes: number | undefined,
): AsyncGenerator<ReadObject | ReadDamage, void, void> {
  let version: number | undefined;
  for await (const line of readLines(chunks, maxLineBytes === undefined ? {} : { maxLineBytes })) {
    const place = { line: line.number, offset: line.offset };
    const content = readContent(line, version);
    const isMarked = line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK);
    const damage: DamageName | undefined = content.damage ?? (isMarked ? 'byte-order-mark' : undefined);
    if (damage !== undefined) yield { kind: 'damage', ...place, damage, length: line.length };
    for (const { value, text } of content.objects) {
      const kind = isHeader(value) ? 'header' : isTitleSlot(value) ? 'title' : 'entry';
      if (kind === 'header') version ??= versionOf(value).version;
      const read = { kind, ...place, value, text, ...envelopeOf(value) } as const;
      yield damage === undefined ? read : { ...read, damage };
    }
  }
}
