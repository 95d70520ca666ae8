import { Flag, type ToolCall } from './repair-index.ts';
import type { RepairState } from './repair-state.ts';

/** What stands in place of a result that nobody recorded. */
const NEVER_RECORDED =
  'The result of this tool call was never recorded; whether the tool ran, and what it did, is not known.';

/**
 * Gives every tool call that the conversation went on without a result that says so. It stands behind the call's entry or
 * its last result, and on every branch without a result what followed is reattached to it.
 */
export function settleTools(repair: RepairState): void {
  const { index } = repair;
  if (index.calls.size === 0) return;
  const answeredBelow = new AnsweredBelow(repair);
  /** By the entry that the results stand behind and the one that followed: the calls without a result. */
  const places = new Map<number, Map<number, Set<string>>>();
  const turns = new Map<number, number>();
  for (let entry = 0; entry < index.size; entry++) {
    if (repair.isDropped(entry) || !repair.has(entry, Flag.user | Flag.assistant)) continue;
    const path = pathFromTurn(repair, entry);
    const turn = path[0];
    if (turn === undefined || repair.has(turn, Flag.stopped)) continue;
    for (const { call, behind, follower } of unanswered(repair, path, answeredBelow)) {
      turns.set(behind, turn);
      const followers = places.get(behind) ?? new Map<number, Set<string>>();
      places.set(behind, followers);
      const calls = followers.get(follower) ?? new Set<string>();
      followers.set(follower, calls.add(call.id));
    }
  }
  const { lastEntry } = repair;
  for (const [behind, followers] of places) {
    // Behind the last entry of the file a result would be the leaf.
    if (behind !== lastEntry && !repair.has(behind, Flag.frozen))
      settle(repair, behind, turns.get(behind) ?? behind, followers);
  }
}

interface Unanswered {
  readonly call: ToolCall;
  readonly behind: number;
  readonly follower: number;
}

/** From the turn that makes calls down to the message that follows it; empty where there is no such turn. */
function pathFromTurn(repair: RepairState, message: number): number[] {
  const { parents } = repair;
  const path = [message];
  for (let at = parents[message] as number; at >= 0; at = parents[at] as number) {
    path.push(at);
    if (repair.has(at, Flag.assistant)) return repair.index.calls.has(at) ? path.reverse() : [];
    // What came before the user spoke is that message's business.
    if (repair.has(at, Flag.user)) return [];
  }
  return [];
}

function unanswered(repair: RepairState, path: readonly number[], answeredBelow: AnsweredBelow): Unanswered[] {
  const { index } = repair;
  const [turn = -1] = path;
  const answered = new Set<string>();
  const calls = index.calls.get(turn) ?? [];
  const ids = new Set(calls.map((call) => call.id));
  let lastResult = 0;
  path.forEach((entry, at) => {
    const answer = index.answers.get(entry);
    if (at === 0 || answer === undefined || !ids.has(answer)) return;
    answered.add(answer);
    lastResult = at;
  });
  const found: Unanswered[] = [];
  for (const call of calls) {
    if (answered.has(call.id)) continue;
    answered.add(call.id);
    // Where another branch has the result further down, only what branches off from it follows.
    let at = lastResult + 1;
    while (at < path.length && answeredBelow.has(path[at] as number, call.id)) at++;
    const follower = path[at];
    const behind = path[at - 1];
    if (follower !== undefined && behind !== undefined) found.push({ call, behind, follower });
  }
  return found;
}

/** Which entries between a call and its result have that result below them. */
class AnsweredBelow {
  readonly #calls = new Map<number, Set<string>>();

  constructor(repair: RepairState) {
    const { parents } = repair;
    const { answers, calls } = repair.index;
    for (const [result, call] of answers) {
      if (repair.isDropped(result)) continue;
      const way: number[] = [];
      let at = parents[result] as number;
      while (at >= 0 && !repair.has(at, Flag.assistant)) {
        // Whoever went this way before with the same result has marked the rest.
        if (this.#calls.get(at)?.has(call)) break;
        way.push(at);
        at = parents[at] as number;
      }
      const turn = at >= 0 && repair.has(at, Flag.assistant) ? calls.get(at) : undefined;
      if (at >= 0 && repair.has(at, Flag.assistant) && !turn?.some(({ id }) => id === call)) continue;
      if (at < 0) continue;
      for (const entry of way) this.#calls.set(entry, (this.#calls.get(entry) ?? new Set()).add(call));
    }
  }

  has(entry: number, call: string): boolean {
    return this.#calls.get(entry)?.has(call) === true;
  }
}

/** Puts the results behind an entry: followers that miss the same calls share them. */
function settle(
  repair: RepairState,
  behind: number,
  turn: number,
  followers: ReadonlyMap<number, ReadonlySet<string>>,
): void {
  const groups = new Map<string, { calls: ReadonlySet<string>; followers: number[] }>();
  for (const [follower, calls] of followers) {
    const key = JSON.stringify([...calls]);
    const group = groups.get(key);
    if (group) group.followers.push(follower);
    else groups.set(key, { calls, followers: [follower] });
  }
  for (const { calls, followers: sharing } of groups.values()) {
    let parentId = repair.idOf(behind);
    const settled = new Set<string>();
    for (const call of repair.index.calls.get(turn) ?? []) {
      if (!calls.has(call.id) || settled.has(call.id) || parentId === undefined) continue;
      settled.add(call.id);
      parentId = insertResult(repair, behind, turn, call, parentId);
    }
    if (parentId === undefined) continue;
    for (const follower of sharing)
      if (!repair.has(follower, Flag.frozen)) repair.reattach(follower, parentId, 'unanswered-call');
  }
}

function insertResult(repair: RepairState, behind: number, turn: number, call: ToolCall, parentId: string): string {
  const { timestamps } = repair.index;
  const timestamp = timestamps.get(behind) ?? timestamps.get(turn) ?? '';
  const id = repair.mint(behind + 1);
  const time = Date.parse(timestamp);
  const entry = {
    type: 'message',
    id,
    parentId,
    timestamp,
    message: {
      role: 'toolResult',
      toolCallId: call.id,
      toolName: call.name ?? 'unknown',
      content: [{ type: 'text', text: NEVER_RECORDED }],
      isError: true,
      ...(Number.isNaN(time) ? {} : { timestamp: time }),
    },
  };
  repair.insertAfter(behind, {
    text: JSON.stringify(entry),
    rule: 'unanswered-call',
    words: `inserted a result for the call '${call.id}'`,
    idAfter: id,
  });
  return id;
}
