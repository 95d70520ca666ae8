import type { JsonObject } from '../json/value.ts';
import type { ReadNames } from '../scanner/scanner.ts';

/** What a call of a model has used. Input has nothing of the cache in it; reasoning is part of the output. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** What one record, or a few of them, say of a call of a model. */
export interface AnswerFacts {
  /** The provider's id of the answer, and of the request: with them a copy is known wherever it is. */
  readonly messageId?: string | undefined;
  readonly requestId?: string | undefined;
  /** The log's own id of it, which a copy keeps. */
  readonly id?: string | undefined;
  /** Without one: among what its time tells it apart; within its session where undefined. */
  readonly scope?: string | undefined;
  /** In milliseconds since 1970. */
  readonly time?: number | undefined;
  /** Both '' where the record does not say: it is that of the answer before. */
  readonly provider: string;
  readonly model: string;
  readonly tokens: Tokens;
  /** In US dollars, where the agent has recorded it. */
  readonly cost?: number | undefined;
  readonly calls?: readonly { readonly id: string; readonly tool: string }[];
  readonly failed?: boolean;
}

/** By what a record is known in another log. */
export type RecordPlace = Pick<AnswerFacts, 'id' | 'scope' | 'time'>;

/** Hears what was done in a session, in the order of its log: for `stats`. */
export interface Activity {
  /** What is known of the session; what was told first counts. */
  session(facts: {
    readonly id?: string | undefined;
    readonly cwd?: string | undefined;
    readonly time?: number | undefined;
    /** The session that it was forked from. */
    readonly parent?: string | undefined;
  }): void;
  /** The log, or the one that it was forked from, was made of that of another session, and counts as one with it. */
  original(id: string, isFork: boolean): void;
  /** Somebody asked for something. */
  prompt(facts: RecordPlace): void;
  /** Records of one answer may come one by one, each with all that it says. */
  answer(facts: AnswerFacts): void;
  /** A tool has ended. */
  result(callId: string, failed: boolean): void;
  /** A record that repeats what another log has, and that does not count here. */
  replayed(): void;
}

/** Tells what the records of a log say, one after the other; numbers are as JSON.parse gives them. */
export interface ActivityReader {
  /** Which members it looks at: a record may come without the others. */
  readonly reads: ReadNames;
  /** `whole` gives the record with all of its members. */
  take(record: JsonObject, whole: () => JsonObject): void;
}

/** No Date is later. */
const LAST_TIME = 8.64e15;

export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Math.abs(time) <= LAST_TIME ? time : undefined;
}
