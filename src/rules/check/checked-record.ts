import { hash } from 'node:crypto';
import type { RecordFacts } from '../../formats/format.ts';
import type { FindingPlace } from '../rule.ts';

/** A record of another agent's log, with the facts given by its format. */
export interface CheckedRecord {
  readonly line: number;
  readonly offset: number;
  readonly text: string;
  /** Its bytes if available; then text may lack members that no rule reads. */
  readonly bytes?: Uint8Array | undefined;
  readonly facts: RecordFacts;
  /** As returned by readTime. */
  readonly time: number | undefined;
}

export function placeOfRecord({ line, offset, facts }: CheckedRecord, path?: string): FindingPlace {
  return { line, offset, entryId: facts.id, path };
}

/** 48 bits: the chance that two different records with one id are taken for copies is about 1 in 10^14. */
export function digestOf({ text, bytes }: Pick<CheckedRecord, 'text' | 'bytes'>): number {
  return Number.parseInt(hash('sha1', bytes ?? text, 'hex').slice(0, 12), 16);
}
