import { isObject, type JsonObject } from '../../json/value.ts';
import type { RuleId } from './rules.ts';

interface BareTurn {
  readonly place: number;
  answered: boolean;
}

const NOTHING = 0;
/** A message that stays, unless a rule removes it. */
const MESSAGE = 1;
const STOPPED_TURN = 2;
const INTERRUPTED = 3;
/** From here on: removed, by the rule at this distance in REMOVED_BY. */
const REMOVED = 4;
const REMOVED_BY: readonly RuleId[] = [
  'retry-recovery',
  'empty-error-turn',
  'no-content',
  'no-block-left',
  'stopped-turn',
  'answers-stopped-turn',
];

/**
 * What omp removes before it sends a context: first turns that retries replaced and empty error turns, then tool calls
 * that nothing answers, then turns that were stopped, with the results of their calls. Holds a byte for each place of
 * the path and the ids of results.
 */
export class OmpTurns {
  readonly #kinds: Uint8Array;
  /** Ids that a result answers. */
  readonly #answered = new Set<unknown>();
  /** Turns of nothing but calls, by the ids of their calls, as long as no result answers one of them. */
  readonly #bare = new Map<unknown, BareTurn[]>();
  /** The ids of the calls of stopped turns. */
  readonly #stoppedCalls = new Map<number, ReadonlySet<unknown>>();
  /** By these ids, the places of results behind the first such turn. */
  readonly #stoppedResults = new Map<unknown, number[]>();

  constructor(length: number) {
    this.#kinds = new Uint8Array(length);
  }

  /** A message that none of the rules can remove. */
  other(place: number): void {
    this.#kinds[place] = MESSAGE;
  }

  custom(place: number, customType: unknown): void {
    this.#kinds[place] = customType === 'interrupted-thinking' ? INTERRUPTED : MESSAGE;
  }

  message(place: number, message: JsonObject): void {
    const role = message['role'];
    if (role === 'assistant') this.#kinds[place] = this.#turn(place, message);
    else if (role === 'custom') this.custom(place, message['customType']);
    else {
      this.other(place);
      if (role === 'toolResult') this.#result(place, message['toolCallId']);
    }
  }

  /** To be called when all messages of the projection have been handed in. */
  settle(): void {
    for (const turns of this.#bare.values()) {
      for (const { place, answered } of turns) if (!answered) this.#remove(place, 'no-block-left');
    }
    this.#removeStoppedTurns();
  }

  /** The rule that removed the message at this place, if one did. */
  removed(place: number): RuleId | undefined {
    const kind = this.#kinds[place] as number;
    return kind >= REMOVED ? REMOVED_BY[kind - REMOVED] : undefined;
  }

  isUnanswered(block: unknown): boolean {
    return isObject(block) && block['type'] === 'toolCall' && !this.#answered.has(block['id']);
  }

  unanswered(message: JsonObject): number {
    if (message['role'] !== 'assistant' || !Array.isArray(message['content'])) return 0;
    return message['content'].filter((block) => this.isUnanswered(block)).length;
  }

  #turn(place: number, message: JsonObject): number {
    const content = message['content'];
    // omp writes an object here, and asks only whether there is one.
    if (message['retryRecovery']) return removedBy('retry-recovery');
    if (typeof content !== 'string' && !Array.isArray(content)) return removedBy('no-content');
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
    const reason = message['stopReason'];
    if (reason === 'error' && Array.isArray(content) && blocks.every(isBlank)) return removedBy('empty-error-turn');
    const isStopped = reason === 'aborted' || reason === 'error';
    const ids = blocks.flatMap((block) => (isObject(block) && block['type'] === 'toolCall' ? [block['id']] : []));
    if (ids.length > 0) this.#remember(place, new Set(ids), blocks, isStopped);
    return isStopped ? STOPPED_TURN : MESSAGE;
  }

  #remember(place: number, ids: ReadonlySet<unknown>, blocks: readonly unknown[], isStopped: boolean): void {
    if (isStopped) {
      this.#stoppedCalls.set(place, ids);
      for (const id of ids) if (!this.#stoppedResults.has(id)) this.#stoppedResults.set(id, []);
    }
    const bare = blocks.every((block) => isObject(block) && (block['type'] === 'toolCall' || block['type'] === 'redactedThinking'));
    if (!bare || [...ids].some((id) => this.#answered.has(id))) return;
    const turn: BareTurn = { place, answered: false };
    for (const id of ids) {
      const turns = this.#bare.get(id);
      if (turns) turns.push(turn);
      else this.#bare.set(id, [turn]);
    }
  }

  #result(place: number, id: unknown): void {
    this.#answered.add(id);
    for (const turn of this.#bare.get(id) ?? []) turn.answered = true;
    this.#bare.delete(id);
    this.#stoppedResults.get(id)?.push(place);
  }

  /** From the end to the start, because what follows a turn may go before the turn is looked at. */
  #removeStoppedTurns(): void {
    const following: number[] = [];
    for (let place = this.#kinds.length - 1; place >= 0; place--) {
      const kind = this.#kinds[place] as number;
      if (kind === NOTHING || kind >= REMOVED) continue;
      while (following.length > 0 && this.#isRemoved(following.at(-1))) following.pop();
      if (kind === STOPPED_TURN && this.#kinds[following.at(-1) ?? -1] !== INTERRUPTED) {
        this.#remove(place, 'stopped-turn');
        this.#removeResultsBehind(place);
      } else following.push(place);
    }
  }

  /** What is removed is taken off the list, for no turn further up has to look at it again. */
  #removeResultsBehind(place: number): void {
    for (const id of this.#stoppedCalls.get(place) ?? []) {
      const results = this.#stoppedResults.get(id) ?? [];
      for (let last = results.at(-1); last !== undefined && last > place; last = results.at(-1)) {
        this.#remove(last, 'answers-stopped-turn');
        results.pop();
      }
    }
  }

  #isRemoved(place: number | undefined): boolean {
    return place !== undefined && (this.#kinds[place] as number) >= REMOVED;
  }

  #remove(place: number, rule: RuleId): void {
    this.#kinds[place] = removedBy(rule);
  }
}

function removedBy(rule: RuleId): number {
  return REMOVED + REMOVED_BY.indexOf(rule);
}

function isBlank(block: unknown): boolean {
  if (!isObject(block)) return false;
  const blank = (key: string) => typeof block[key] !== 'string' || block[key].trim() === '';
  switch (block['type']) {
    case 'text':
      return blank('text');
    case 'thinking':
      return blank('thinking') && blank('thinkingSignature');
    case 'redactedThinking':
      return blank('data');
    case 'fallback':
      return true;
    default:
      return false;
  }
}
