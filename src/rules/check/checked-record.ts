import { hash } from 'node:crypto';
import type { RecordFacts } from '../../formats/format.ts';
import type { JsonObject } from '../../json/value.ts';
import type { FindingPlace } from '../rule.ts';

/** A record of another agent's log, with what its format says about it. */
export interface CheckedRecord {
  readonly line: number;
  readonly offset: number;
  readonly value: JsonObject;
  readonly text: string;
  /** Its bytes where they are at hand; the text and the value may lack what no rule looks into then. */
  readonly bytes?: Uint8Array | undefined;
  readonly facts: RecordFacts;
  /** As readTime gives it. */
  readonly time: number | undefined;
}

export function placeOfRecord({ line, offset, facts }: CheckedRecord, path?: string): FindingPlace {
  return { line, offset, entryId: facts.id, path };
}

/** 48 bits: of two records that share an id and differ, one pair in 10 to the 14th would be taken for copies. */
export function digestOf({ text, bytes }: Pick<CheckedRecord, 'text' | 'bytes'>): number {
  return Number.parseInt(hash('sha1', bytes ?? text, 'hex').slice(0, 12), 16);
}
