import { readContent } from '../entries/damage.ts';
import { parseExact } from '../json/exact.ts';
import type { JsonObject } from '../json/value.ts';
import { readLineBatches } from '../lines/reader.ts';

/** A record of a log that has one JSON object per line. */
export interface SourceRecord {
  readonly value: JsonObject;
  readonly line: number;
  /** Where its line is in the file, in bytes. */
  readonly offset: number;
  readonly length: number;
}

/** The records of a log, a batch at a time; damaged lines go to `onDamage`, with the number of whole records in them. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  onDamage: (line: number, damage: string, records: number) => void,
): AsyncGenerator<SourceRecord[]> {
  for await (const lines of readLineBatches(chunks)) {
    const records: SourceRecord[] = [];
    for (const line of lines) {
      const { number, offset, length } = line;
      const value = line.oversize === 0 && line.wellFormed ? parseExact(line.text) : undefined;
      if (value) records.push({ value, line: number, offset, length });
      else if (!line.blank) {
        const { damage = 'not-json', objects } = readContent(line, undefined);
        onDamage(number, damage, Math.max(1, objects.length));
      }
    }
    yield records;
  }
}
