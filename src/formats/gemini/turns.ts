import type { JsonObject } from '../../json/value.ts';
import { isObject } from '../../json/value.ts';
import { answerPrint, type GeminiMessage, plainText, printOf, readMessage } from './message.ts';
import type { GeminiAnswer } from './parts.ts';

/** A message that the model sees, and what its calls gave, as entries that were written. */
export interface Turn {
  /** Where its first version is in the log. */
  readonly key: string;
  /** What it says and what its calls gave, as the log has it so far: what was written may be of a later version. */
  print: string;
  answered: Map<string, string>;
  /** The entry of the message, and the last entry that follows it before the next one. */
  readonly first: string;
  last: string;
}

/** The same in a list that takes the place of the conversation, and not yet written. */
export interface ListedTurn {
  readonly message: GeminiMessage;
  readonly print: string;
  readonly answers: Map<string, GeminiAnswer>;
}

export interface MessageList {
  readonly turns: ListedTurn[];
  /** All messages, by their ids, with the number of turns before each. */
  readonly ids: { readonly id: string; readonly turns: number; readonly isTurn: boolean }[];
  readonly asides: readonly GeminiMessage[];
}

/** What Gemini CLI makes of a list: of two messages with one id the last counts, in the place of the first. */
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
    const turn = { message, print: printOf(message), answers: byCall(isOwn ? message.answers : []) };
    if (message.kind !== 'results') turns.push(turn);
    for (const { functionCall } of isOwn ? message.parts : [])
      if (isObject(functionCall)) callers.set(String(functionCall['id']), turn);
    // Gemini CLI 0.61 has each result twice; the first is the one.
    for (const answer of isOwn ? [] : message.answers) {
      const caller = callers.get(answer.callId);
      if (caller && !caller.answers.has(answer.callId)) caller.answers.set(answer.callId, answer);
    }
  }
  return { turns, ids, asides };
}

export function byCall(answers: readonly GeminiAnswer[]): Map<string, GeminiAnswer> {
  return new Map(answers.map((answer) => [answer.callId, answer]));
}

/** What calls gave, in short. */
export function answerPrints(answers: Iterable<GeminiAnswer>): Map<string, string> {
  return new Map([...answers].map((answer) => [answer.callId, answerPrint(answer)]));
}

export function isSame(turn: Turn | undefined, listed: Omit<ListedTurn, 'message'> | undefined): boolean {
  if (!turn || turn.print !== listed?.print || turn.answered.size !== listed.answers.size) return false;
  return [...listed.answers].every(([id, answer]) => turn.answered.get(id) === answerPrint(answer));
}

/** What a list changes: so many turns stay, or what comes before `kept` of them is summed up in a message. */
export type Change =
  | { readonly is: 'other'; readonly stay: number }
  | { readonly is: 'compaction'; readonly summary: string; readonly added: number; readonly kept: number };

const SNAPSHOT = '<state_snapshot>';

/** Compares what was said with a list that takes its place. */
export function compare(turns: readonly Turn[], listed: readonly ListedTurn[]): Change {
  let stay = 0;
  while (stay < turns.length && isSame(turns[stay], listed[stay])) stay++;
  if (stay > 0 || turns.length === 0 || listed[0]?.message.kind !== 'user') return { is: 'other', stay };
  const summary = plainText(listed[0].message);
  // Of the messages that a compaction adds some were written as messages before.
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

/** What Gemini CLI lets the model say after a summary. */
function isReply(turn: ListedTurn | undefined): boolean {
  return (
    turn?.message.kind === 'model' && turn.answers.size === 0 && turn.message.parts.every((part) => 'text' in part)
  );
}
