import { parseExact } from '../json/exact.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { isKeptRecord, type KeptRecord, restoredRecord } from './kept.ts';
import { argumentsOf } from './said.ts';

/** What of an entry a record has: a text, what the model thought, what a call was given, or a summary. */
export type Home = 'text' | 'thinking' | 'call' | 'summary';

/** A record again, and the line that it was on. */
export interface Restored {
  readonly line: number;
  readonly record: JsonObject;
}

/** The records that an entry was made from, by what was kept beside it; `homeOf` says what it has in its own place. */
export function restoredRecords(
  entry: JsonObject,
  kept: unknown,
  homeOf: (record: JsonObject) => Home | undefined,
): readonly Restored[] | undefined {
  if (!Array.isArray(kept) || !kept.every(isKeptRecord)) return undefined;
  const blocks = blocksOf(entry);
  return kept.map((one) => {
    const home = one.member === undefined ? undefined : homeOf(restoredRecord(one, undefined));
    return { line: one.line, record: restoredRecord(one, home && valueIn(entry, blocks, home, one)) };
  });
}

function blocksOf({ message, content }: JsonObject): JsonObject[] {
  const blocks = isObject(message) ? message['content'] : content;
  return Array.isArray(blocks) ? blocks.filter(isObject) : [];
}

function valueIn(entry: JsonObject, blocks: readonly JsonObject[], home: Home, kept: KeptRecord): unknown {
  if (home === 'summary') return entry['summary'];
  const block = blocks[kept.block ?? 0] ?? {};
  if (home === 'call') return argumentsOf(block);
  const text = block[home] ?? '';
  return kept.json === true ? parseExact(`{"value":${String(text)}}`)?.['value'] : text;
}
