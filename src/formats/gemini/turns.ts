import { isObject, type JsonObject } from '../../json/value.ts';
import { plainText } from '../model-message.ts';
import { fingerprintOf, type GeminiMessage, readMessage, resultFingerprint } from './message.ts';
import type { GeminiResult } from './parts.ts';

/** A message that the model sees, and the results of its calls, as entries that were written. */
export interface Turn {
  /** Where its first version is in the log. */
  readonly key: string;
  /** Fingerprints of the message and of its results, as the log has them so far: a later version may be written. */
  fingerprint: string;
  resultFingerprints: Map<string, string>;
  /** The entry of the message, and the last entry that follows it before the next one. */
  readonly first: string;
  last: string;
}

/** The same in a list that replaces the conversation, not yet written. */
export interface ListedTurn {
  readonly message: GeminiMessage;
  readonly fingerprint: string;
  readonly results: Map<string, GeminiResult>;
}

export interface MessageList {
  readonly turns: ListedTurn[];
  /** All messages, by their ids, with the number of turns before each. */
  readonly ids: { readonly id: string; readonly turns: number; readonly isTurn: boolean }[];
  readonly asides: readonly GeminiMessage[];
}

/** Reads a list as Gemini CLI does: of two messages with one id the last counts, in the place of the first. */
export function readList(values: readonly unknown[]): MessageList {
  const byId = new Map<string, JsonObject>();
  for (const value of values) if (isObject(value) && typeof value['id'] === 'string') byId.set(value['id'], value);
  const turns: ListedTurn[] = [];
  const ids: MessageList['ids'] = [];
  const asides: GeminiMessage[] = [];
  const callers = new Map<string, ListedTurn>();
  for (const [id, value] of byId) {
    const message = readMessage(value);
    ids.push({ id, turns: turns.length, isTurn: message.kind === 'user' || message.kind === 'model' });
    if (message.kind === 'aside') {
      asides.push(message);
      continue;
    }
    const isOwn = message.kind === 'model';
    const turn = { message, fingerprint: fingerprintOf(message), results: byCall(isOwn ? message.results : []) };
    if (message.kind !== 'results' || turns.length === 0) turns.push(turn);
    for (const { functionCall } of isOwn ? message.parts : [])
      if (isObject(functionCall)) callers.set(String(functionCall['id']), turn);
    // Gemini CLI 0.61 has each result twice; the first counts. One without a call belongs to the turn before it.
    for (const result of isOwn ? [] : message.results) {
      const { results } = callers.get(result.callId) ?? turns.at(-1) ?? turn;
      if (!results.has(result.callId)) results.set(result.callId, result);
    }
  }
  return { turns, ids, asides };
}

export function byCall(results: readonly GeminiResult[]): Map<string, GeminiResult> {
  return new Map(results.map((result) => [result.callId, result]));
}

export function fingerprintsOf(results: Iterable<GeminiResult>): Map<string, string> {
  return new Map([...results].map((result) => [result.callId, resultFingerprint(result)]));
}

export function isSame(turn: Turn | undefined, listed: Omit<ListedTurn, 'message'> | undefined): boolean {
  if (!turn || turn.fingerprint !== listed?.fingerprint || turn.resultFingerprints.size !== listed.results.size)
    return false;
  return [...listed.results].every(([id, result]) => turn.resultFingerprints.get(id) === resultFingerprint(result));
}

/** What a list changes: the first `stay` turns are kept, or all but the last `kept` are replaced by a summary. */
type Change =
  | { readonly is: 'other'; readonly stay: number }
  | { readonly is: 'compaction'; readonly summary: string; readonly added: number; readonly kept: number };

const SNAPSHOT = '<state_snapshot>';

/** Compares the conversation with a list that replaces it. */
export function compare(turns: readonly Turn[], listed: readonly ListedTurn[]): Change {
  let stay = 0;
  while (stay < turns.length && isSame(turns[stay], listed[stay])) stay++;
  if (stay > 0 || turns.length === 0 || listed[0]?.message.kind !== 'user') return { is: 'other', stay };
  const summary = plainText(listed[0].message.parts);
  // A compaction adds up to two messages; some of them may be in the log already.
  for (const added of [0, 1, 2]) {
    const kept = listed.length - added;
    if (kept < 0 || kept >= turns.length) continue;
    if (added === 0 && kept === 0) continue;
    if (added === 1 && !summary.includes(SNAPSHOT)) continue;
    if (added === 2 && !isReply(listed[1])) continue;
    const from = turns.length - kept;
    if (turns.slice(from).every((turn, at) => isSame(turn, listed[added + at])))
      return { is: 'compaction', summary, added, kept };
  }
  return { is: 'other', stay: 0 };
}

/** What Gemini CLI has the model say to a summary. */
const REPLY = 'Got it. Thanks for the additional context!';

function isReply(turn: ListedTurn | undefined): boolean {
  return turn?.message.kind === 'model' && turn.results.size === 0 && plainText(turn.message.parts) === REPLY;
}
