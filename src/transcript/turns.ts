import { isObject, type JsonObject } from '../json/value.ts';

/** The tool calls in an assistant message. */
export function toolCalls({ content }: JsonObject): JsonObject[] {
  return Array.isArray(content)
    ? content.filter((block): block is JsonObject => isObject(block) && block['type'] === 'toolCall')
    : [];
}

/** The arguments of a call, in either spelling. */
export function argumentsOf(call: JsonObject): unknown {
  return call['arguments'] ?? call['input'];
}

/** The same where they are an object, else an empty one. */
export function namedArguments(call: JsonObject): JsonObject {
  return [call['arguments'], call['input']].find(isObject) ?? {};
}

/** Whether an assistant's turn was aborted or failed: its calls, if any, were not run. */
export function isStopped({ stopReason }: JsonObject): boolean {
  return stopReason === 'aborted' || stopReason === 'error';
}

/** The calls of one turn with the same id, and their results: the first result is for the first call, and so on. */
export interface CallGroup<Call, Result> {
  readonly calls: Call[];
  readonly results: Result[];
}

export function isAnswered({ calls, results }: CallGroup<unknown, unknown>): boolean {
  return results.length >= calls.length;
}

/** Pairs results with calls along a path: a result belongs to the nearest turn above that makes a call with its id. */
export class Pairing<Call, Result> {
  readonly #nearest = new Map<unknown, CallGroup<Call, Result>>();
  readonly #ofTurn = new Set<unknown>();

  /** Starts a turn. Earlier calls with results are forgotten: another result for them is an orphan. */
  startTurn(): void {
    for (const id of this.#ofTurn) {
      const group = this.#nearest.get(id);
      if (group && isAnswered(group)) this.#nearest.delete(id);
    }
    this.#ofTurn.clear();
  }

  /** Adds a call of the current turn; returns its group. */
  add(id: unknown, call: Call): CallGroup<Call, Result> {
    const same = this.#ofTurn.has(id) ? this.#nearest.get(id) : undefined;
    const group = same ?? { calls: [], results: [] };
    group.calls.push(call);
    this.#ofTurn.add(id);
    this.#nearest.set(id, group);
    return group;
  }

  /** The calls that a result with this id answers; undefined for an orphan. */
  callsFor(id: unknown): CallGroup<Call, Result> | undefined {
    return this.#nearest.get(id);
  }
}
