import { type Envelope, envelopeOf } from '../json/envelope.ts';
import type { JsonObject } from '../json/value.ts';
import { readLines } from '../lines/reader.ts';
import { BYTE_ORDER_MARK, type Damage, readContent } from './damage.ts';
import { isHeader, isTitleSlot, versionOf } from './envelope-check.ts';

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

/** The objects of a log in file order, and the damage between them. */
export async function* readObjects(
  chunks: AsyncIterable<Buffer>,
  maxLineBytes: number | undefined,
): AsyncGenerator<ReadObject | ReadDamage, void, void> {
  let version: number | undefined;
  for await (const line of readLines(chunks, { maxLineBytes })) {
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
