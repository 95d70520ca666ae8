import type { JsonObject } from '../json/value.ts';
import type { ReadNames } from '../scanner/scanner.ts';
import { LATEST } from './times.ts';

/** The tokens of a call of a model. Input does not include the cache; reasoning is part of the output. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** What one or more records say of a call of a model. */
export interface AnswerFacts {
  /** The provider's ids of the answer and the request, by which copies are recognized. */
  readonly messageId?: string | undefined;
  readonly requestId?: string | undefined;
  /** The id in the log, which copies keep. */
  readonly id?: string | undefined;
  /** Without an id, the time is unique within this scope; by default within the session. */
  readonly scope?: string | undefined;
  /** In milliseconds since 1970. */
  readonly time?: number | undefined;
  /** Both '' where the record has none: then that of the answer before counts. */
  readonly provider: string;
  readonly model: string;
  readonly tokens: Tokens;
  /** In US dollars, where the agent has recorded it. */
  readonly cost?: number | undefined;
  readonly calls?: readonly { readonly id: string; readonly tool: string }[];
  readonly failed?: boolean;
}

/** What identifies a record in another log. */
export type RecordPlace = Pick<AnswerFacts, 'id' | 'scope' | 'time'>;

/** Receives what was done in a session, in the order of its log: for `stats`. */
export interface Activity {
  /** Facts of the session; the first value of each counts. */
  session(facts: {
    readonly id?: string | undefined;
    readonly cwd?: string | undefined;
    readonly time?: number | undefined;
    /** The session that it was forked from. */
    readonly parent?: string | undefined;
  }): void;
  /** The log was converted from that of another session, and counts as that session. */
  original(id: string, isFork: boolean): void;
  prompt(facts: RecordPlace): void;
  /** An answer of the model; called for each of its records. */
  answer(facts: AnswerFacts): void;
  result(callId: string, failed: boolean): void;
  /** A record that repeats one of another log, and does not count. */
  replayed(): void;
}

/** Reports the records of a log to an `Activity`; numbers are as JSON.parse gives them. */
export interface ActivityReader {
  /** The members that it reads: records may come without others. */
  readonly reads: ReadNames;
  /** `whole` gives the record with all members. */
  read(record: JsonObject, whole: () => JsonObject): void;
}

export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Math.abs(time) <= LATEST ? time : undefined;
}
