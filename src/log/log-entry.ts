import type { Envelope } from '../json/envelope.ts';
import type { JsonObject } from '../json/value.ts';

/** One entry, read from the log. */
export interface LogEntry extends Envelope {
  /** Its place among the entries, from 0 in file order. */
  readonly position: number;
  readonly line: number;
  readonly offset: number;
  /** The line as it is in the log. */
  readonly text: string;
  readonly value: JsonObject;
}

/** A line that was left out because its bytes are damaged. */
export interface LeftOut {
  readonly line: number;
  readonly rule: string;
}
