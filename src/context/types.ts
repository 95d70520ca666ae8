import type { JsonObject } from '../json/value.ts';
import type { RuleId } from './rules.ts';

/** Whose reading of the log is wanted: that of the written format, or of an agent where it differs. */
export type Profile = 'spec' | 'pi' | 'omp';

export const PROFILES: readonly Profile[] = ['spec', 'pi', 'omp'];

/** An entry of a path: the JSON text of its line, and what JSON.parse makes of it. */
export interface PathEntry {
  readonly text: string;
  readonly value: JsonObject;
}

/** What is known of a path before its entries are read. Places count from the root, which is 0. */
export interface PathShape {
  readonly length: number;
  /** The entry's type, or '' where it has none. */
  type(place: number): string;
  /** The place of the entry with this id, or -1. */
  placeOf(id: string): number;
}

/** What becomes of an entry: the messages it gives, none where it is out, and the rule that says so. */
export interface Projected {
  readonly rule: RuleId;
  /** Each message as JSON text; untouched messages are the very text of the log. */
  readonly messages: readonly string[];
  /** More about this case, for --explain. */
  readonly detail?: string;
  /** Something the user has to know, whatever was asked for. */
  readonly note?: string;
}
