import type { JsonObject } from '../json/value.ts';

/** What every entry has, where it is what it should be. */
export interface Envelope {
  readonly type: string | undefined;
  readonly id: string | undefined;
  /** Null for a root. */
  readonly parentId: string | null | undefined;
}

export function envelopeOf({ type, id, parentId }: JsonObject): Envelope {
  return {
    type: typeof type === 'string' ? type : undefined,
    id: typeof id === 'string' ? id : undefined,
    parentId: typeof parentId === 'string' || parentId === null ? parentId : undefined,
  };
}

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
