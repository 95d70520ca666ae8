import { isObject, type JsonObject } from '../json/value.ts';
import { toolCalls } from '../transcript/turns.ts';
import type { RuleId } from './rules.ts';

/**
 * What omp removes before it sends a context: first turns that retries replaced and empty error turns, then tool calls
 * that nothing answers, then turns that were stopped, with the results of their calls. To omp any result in the context
 * answers every call with its id, before or behind it. Holds the places of messages and the ids of calls and results.
 */
export class OmpTurns {
  readonly #messages: number[] = [];
  readonly #interrupted = new Set<number>();
  readonly #removed = new Map<number, RuleId>();
  /** Ids that a result answers. */
  readonly #answered = new Set<unknown>();
  /** Turns of nothing but calls, with the ids of these. */
  readonly #bare: { readonly place: number; readonly ids: readonly unknown[] }[] = [];
  /** Turns that were stopped, with the ids of their calls. */
  readonly #stopped = new Map<number, readonly unknown[]>();
  /** By these ids, the places of results behind the first such turn. */
  readonly #stoppedResults = new Map<unknown, number[]>();

  /** A message that none of the rules can remove. */
  other(place: number): void {
    this.#messages.push(place);
  }

  custom(place: number, customType: unknown): void {
    this.other(place);
    if (customType === 'interrupted-thinking') this.#interrupted.add(place);
  }

  message(place: number, message: JsonObject): void {
    const role = message['role'];
    if (role === 'assistant') {
      const removedBy = unusable(message);
      if (removedBy) this.#removed.set(place, removedBy);
      else this.#turn(place, message);
    } else if (role === 'custom') this.custom(place, message['customType']);
    else {
      this.other(place);
      if (role !== 'toolResult') return;
      this.#answered.add(message['toolCallId']);
      this.#stoppedResults.get(message['toolCallId'])?.push(place);
    }
  }

  /** To be called when all messages of the projection have been handed in. */
  settle(): void {
    for (const { place, ids } of this.#bare) {
      if (!ids.some((id) => this.#answered.has(id))) this.#removed.set(place, 'no-block-left');
    }
    // From the end to the start, because what follows a turn may go before the turn is looked at.
    const following: number[] = [];
    for (const place of this.#messages.toReversed()) {
      if (this.#removed.has(place)) continue;
      while (this.#removed.has(following.at(-1) ?? -1)) following.pop();
      if (this.#stopped.has(place) && !this.#interrupted.has(following.at(-1) ?? -1)) this.#removeStopped(place);
      else following.push(place);
    }
  }

  /** The rule that removed the message at this place, if one did. */
  removed(place: number): RuleId | undefined {
    return this.#removed.get(place);
  }

  isUnanswered(block: unknown): boolean {
    return isObject(block) && block['type'] === 'toolCall' && !this.#answered.has(block['id']);
  }

  unanswered(message: JsonObject): number {
    return message['role'] === 'assistant' ? toolCalls(message).filter((call) => this.isUnanswered(call)).length : 0;
  }

  #turn(place: number, message: JsonObject): void {
    this.other(place);
    const ids = [...new Set(toolCalls(message).map((call) => call['id']))];
    if (message['stopReason'] === 'aborted' || message['stopReason'] === 'error') {
      this.#stopped.set(place, ids);
      for (const id of ids) if (!this.#stoppedResults.has(id)) this.#stoppedResults.set(id, []);
    }
    const blocks: readonly unknown[] = ids.length > 0 ? (message['content'] as unknown[]) : [];
    const isBare = blocks.every(
      (block) => isObject(block) && (block['type'] === 'toolCall' || block['type'] === 'redactedThinking'),
    );
    if (ids.length > 0 && isBare) this.#bare.push({ place, ids });
  }

  #removeStopped(place: number): void {
    this.#removed.set(place, 'stopped-turn');
    for (const id of this.#stopped.get(place) ?? []) {
      const results = this.#stoppedResults.get(id) ?? [];
      // What is removed is taken off the list, for no turn further up has to look at it again.
      while ((results.at(-1) ?? -1) > place) this.#removed.set(results.pop() as number, 'answers-stopped-turn');
    }
  }
}

/** Why an assistant message has no part in a context of omp, whatever follows it. */
function unusable(message: JsonObject): RuleId | undefined {
  const { content, retryRecovery, stopReason } = message;
  // omp writes an object here, and asks only whether there is one.
  if (retryRecovery) return 'retry-recovery';
  if (typeof content !== 'string' && !Array.isArray(content)) return 'no-content';
  return stopReason === 'error' && Array.isArray(content) && content.every(isBlank) ? 'empty-error-turn' : undefined;
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
    default:
      return block['type'] === 'fallback';
  }
}
