import { parseExact } from '../json/exact.ts';
import { isObject, type JsonObject, objectsIn } from '../json/value.ts';
import { namedArguments } from '../transcript/turns.ts';
import { isKeptRecord, type KeptRecord, restoredRecord } from './kept.ts';

/** A part of an entry that holds the long member of a record. */
export type EntryPart = 'text' | 'thinking' | 'call' | 'summary';

/** A restored record, and the line that it was on. */
export interface Restored {
  readonly line: number;
  readonly record: JsonObject;
}

/** The records that an entry was made from, by what was kept beside it. */
export function restoredRecords(
  entry: JsonObject,
  kept: unknown,
  entryPartOf: (record: JsonObject) => EntryPart | undefined,
): readonly Restored[] | undefined {
  if (!Array.isArray(kept) || !kept.every(isKeptRecord)) return undefined;
  const { message, content } = entry;
  const blocks = objectsIn(isObject(message) ? message['content'] : content);
  return kept.map((one) => {
    const part = one.member === undefined ? undefined : entryPartOf(restoredRecord(one, undefined));
    return { line: one.line, record: restoredRecord(one, part && valueIn(entry, blocks, part, one)) };
  });
}

function valueIn(entry: JsonObject, blocks: readonly JsonObject[], part: EntryPart, kept: KeptRecord): unknown {
  if (part === 'summary') return entry['summary'];
  const block = blocks[kept.block ?? 0] ?? {};
  if (part === 'call') return namedArguments(block);
  const text = block[part] ?? '';
  return kept.json === true ? parseExact(`{"value":${String(text)}}`)?.['value'] : text;
}
