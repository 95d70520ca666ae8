import { asString, type JsonObject } from '../../json/value.ts';
import { LogIndex, NO_PARENT } from '../../log/log-index.ts';
import { isStopped, Pairing, toolCalls } from '../../transcript/turns.ts';
import { hiddenWork } from '../../tree/path.ts';
import type { EntryToolUse, RepairEntry, RepairState } from './repair-state.ts';

/** The text of a result that was never recorded. */
const NEVER_RECORDED =
  'The result of this tool call was never recorded; whether the tool ran, and what it did, is not known.';

/** The tool calls or the result of a message; undefined if it has neither. */
export function toolUseOf(message: JsonObject, timestamp: unknown): EntryToolUse | undefined {
  const { role, toolCallId } = message;
  const calls = toolCalls(role === 'assistant' ? message : {}).flatMap(({ id, name }) =>
    typeof id === 'string' ? [{ id, name: asString(name) }] : [],
  );
  if (role !== 'toolResult' && calls.length === 0) return undefined;
  return {
    calls,
    answers: role === 'toolResult' ? asString(toolCallId) : undefined,
    isStopped: isStopped(message),
    timestamp: asString(timestamp),
  };
}

/**
 * Inserts a result for every tool call that the conversation continued past. It comes after the call's entry or its
 * last result, and on every branch without a result what followed is reattached to it.
 */
export function settleTools(repair: RepairState): void {
  const below = answeredBelow(repair);
  /** By the entry to insert after: the turn, and for each entry that follows the calls without a result. */
  const gaps = new Map<RepairEntry, { turn: RepairEntry; followers: Map<RepairEntry, Set<string>> }>();
  for (const entry of repair.index.entries) {
    if (entry.edits?.drop || (entry.role !== 'user' && entry.role !== 'assistant')) continue;
    const path = pathFromTurn(repair, entry);
    const turn = path[0];
    if (!turn || turn.tools?.isStopped) continue;
    for (const { call, behind, follower } of unanswered(path, below)) {
      const { followers } = gaps.get(behind) ?? { followers: new Map<RepairEntry, Set<string>>() };
      gaps.set(behind, { turn, followers });
      followers.set(follower, (followers.get(follower) ?? new Set()).add(call));
    }
  }
  const last = lastEntry(repair);
  // After the last entry of the file, an inserted result would become the leaf.
  for (const [behind, { turn, followers }] of gaps)
    if (behind !== last && !behind.frozen) insertResults(repair, behind, turn, followers);
}

/** The path from the turn that makes calls to the message that follows it; empty if there is no such turn. */
function pathFromTurn(repair: RepairState, message: RepairEntry): RepairEntry[] {
  const path = [message];
  for (let at = repair.parentOf(message); at; at = repair.parentOf(at)) {
    path.push(at);
    if (at.role === 'assistant') return at.tools ? path.reverse() : [];
    // Whatever comes before that user message is handled with it.
    if (at.role === 'user') return [];
  }
  return [];
}

/** The calls of a turn without a result on the path, with the entry to insert after and the entry that follows. */
function unanswered(
  path: readonly RepairEntry[],
  below: ReadonlyMap<RepairEntry, Set<string>>,
): { call: string; behind: RepairEntry; follower: RepairEntry }[] {
  const pairing = new Pairing<string, number>();
  const groups = new Set(path[0]?.tools?.calls.map(({ id }) => pairing.add(id, id)));
  let lastResult = 0;
  path.forEach(({ tools }, at) => {
    const group = tools?.answers === undefined ? undefined : pairing.callsFor(tools.answers);
    if (at === 0 || !group) return;
    group.results.push(at);
    lastResult = at;
  });
  return [...groups].flatMap(({ calls: [call], results }) => {
    if (call === undefined || results.length > 0) return [];
    // If another branch has the result further down, insert where this path leaves that branch.
    let at = lastResult + 1;
    while (at < path.length && below.get(path[at] as RepairEntry)?.has(call)) at++;
    const [behind, follower] = path.slice(at - 1, at + 1);
    return behind && follower ? [{ call, behind, follower }] : [];
  });
}

/** For the entries between a call and its result: the calls that have a result below them. */
function answeredBelow(repair: RepairState): Map<RepairEntry, Set<string>> {
  const below = new Map<RepairEntry, Set<string>>();
  for (const result of repair.index.entries) {
    const call = result.tools?.answers;
    if (call === undefined || result.edits?.drop) continue;
    const passed: RepairEntry[] = [];
    let at = repair.parentOf(result);
    // The rest of the way was marked by another result of the same call.
    for (; at && at.role !== 'assistant' && !below.get(at)?.has(call); at = repair.parentOf(at)) passed.push(at);
    if (!at || (at.role === 'assistant' && !at.tools?.calls.some(({ id }) => id === call))) continue;
    for (const entry of passed) below.set(entry, (below.get(entry) ?? new Set()).add(call));
  }
  return below;
}

/** Inserts results after an entry; followers that lack the same calls share them. */
function insertResults(
  repair: RepairState,
  behind: RepairEntry,
  turn: RepairEntry,
  followers: ReadonlyMap<RepairEntry, ReadonlySet<string>>,
): void {
  const timestamp = behind.tools?.timestamp ?? turn.tools?.timestamp ?? '';
  const time = Date.parse(timestamp);
  /** By the missing calls: the id of the last inserted result. */
  const inserted = new Map<string, string>();
  for (const [follower, calls] of followers) {
    const key = JSON.stringify([...calls]);
    const missing = new Set(inserted.has(key) ? [] : calls);
    let parentId = inserted.get(key) ?? repair.idOf(behind);
    if (parentId === undefined) return;
    for (const call of (turn.tools as EntryToolUse).calls) {
      if (!missing.delete(call.id)) continue;
      const id = repair.newId(behind.position + 1);
      const message = {
        role: 'toolResult',
        toolCallId: call.id,
        toolName: call.name ?? 'unknown',
        content: [{ type: 'text', text: NEVER_RECORDED }],
        isError: true,
        ...(Number.isNaN(time) ? {} : { timestamp: time }),
      };
      const text = JSON.stringify({ type: 'message', id, parentId, timestamp, message });
      const words = `inserted a result for the call '${call.id}'`;
      repair.insertAfter(behind, { text, rule: 'unanswered-call', words, idAfter: id });
      parentId = id;
    }
    inserted.set(key, parentId);
    if (!follower.frozen) repair.reattach(follower, parentId, 'unanswered-call');
  }
}

/** If the last entry hides newer work, appends an entry below that work, which no model sees, as the new leaf. */
export function settleLeaf(repair: RepairState): void {
  const { entries, lastTimestamp } = repair.index;
  const last = lastEntry(repair);
  if (!last || last.frozen) return;
  const tree = treeOf(repair);
  let leaf = last.position;
  const tried = new Set<number>();
  while (!tried.has(leaf)) {
    tried.add(leaf);
    leaf = hiddenWork(tree, leaf) ?? leaf;
  }
  const newer = entries[leaf];
  const parentId = newer && newer !== last ? repair.idOf(newer) : undefined;
  if (parentId === undefined) return;
  const id = repair.newId(entries.length + 1);
  const entry = {
    type: 'custom',
    id,
    parentId,
    timestamp: lastTimestamp ?? '',
    customType: 'sessionctl/settle-leaf',
    data: { leafBefore: repair.idOf(last) ?? null },
  };
  const words = `appended an entry below '${parentId}', which is the leaf again`;
  repair.insertAfter(last, { text: JSON.stringify(entry), rule: 'stale-leaf', words, idAfter: id });
}

/** The last entry that is not dropped. */
function lastEntry(repair: RepairState): RepairEntry | undefined {
  return repair.index.entries.findLast(({ edits }) => !edits?.drop);
}

/** The repaired tree. */
function treeOf(repair: RepairState): LogIndex {
  const tree = new LogIndex(new Uint8Array(8));
  for (const { position, type, edits } of repair.index.entries) {
    const parent = edits?.drop ? NO_PARENT : (repair.parents[position] as number);
    tree.add({ id: undefined, parentId: null, parent, type, line: 0, offset: 0, length: 0 });
  }
  tree.finish();
  return tree;
}
