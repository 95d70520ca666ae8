import { messageOf } from '../../entries/envelope-check.ts';
import { entryTypeOf } from '../../entries/types/index.ts';
import type { JsonObject } from '../../json/value.ts';
import { LOST, ROOT, UNRESOLVED } from '../positions.ts';
import type { ObjectFinding, RepairEntry, RepairState } from './repair-state.ts';

/** Why an entry must be removed, by the path of the finding. */
const USELESS: Readonly<Record<string, string>> = {
  type: 'an entry without a usable type',
  message: 'a message entry without a message',
  'message.role': 'a message without a role',
};

/** Fixes an unusable field: an entry with a known type and payload gets an id or a parent, any other is removed. */
export function fixField(repair: RepairState, { unit: entry, rule, path = '' }: ObjectFinding): void {
  if (entry.kind !== 'entry') return;
  const useless = USELESS[path];
  // Version 1 has no tree; the header that says so may come after the entry.
  if (useless === undefined && repair.version === 1) return;
  if (useless === undefined && entry.hasPayload) {
    if (path === 'id') repair.withoutId.add(entry);
    else repair.orphans.set(entry, rule);
    return;
  }
  repair.drop(entry, rule, `moved ${useless ?? `an entry without a usable ${path}`} to quarantine`);
  // Its children can still follow the chain through it.
  const { id, parentId } = entry;
  const { salvagedParents } = repair.index;
  if (typeof id === 'string' && !salvagedParents.has(id) && (typeof parentId === 'string' || parentId === null))
    salvagedParents.set(id, parentId === '' ? null : parentId);
}

/** Whether an entry has a known type and the content that makes it worth keeping. */
export function hasPayload(value: JsonObject): boolean {
  const type = entryTypeOf(value['type']);
  if (!type) return false;
  if (type.name === 'message') return typeof messageOf(value)?.['role'] === 'string';
  return !type.payload || type.payload.some((keys) => keys.every((key) => value[key] !== undefined));
}

/** In one pass: removes exact copies, assigns missing and repeated ids, updates references and resolves parents. */
export function assignIds(repair: RepairState): void {
  const { index, first, current, parents } = repair;
  dropBehindMark(repair);
  const repeated = new Set<unknown>();
  for (const entry of index.entries) {
    if (!keepsId(repair, entry)) continue;
    if (first.has(entry.id)) repeated.add(entry.id);
    else first.set(entry.id, entry);
  }
  /** Entries with repeated ids, by content. */
  const originals = new Map<string, RepairEntry>();
  let count = 0;
  let last = ROOT;
  for (const entry of index.entries) {
    const { id, position } = entry;
    if (entry.edits?.drop) continue;
    // An id that does not repeat has only one entry.
    const isRepeated = repeated.has(id) && keepsId(repair, entry);
    const key = `${entry.digest} ${id}`;
    const original = isRepeated ? originals.get(key) : undefined;
    // Of two copies the one on a healthy line stays.
    if (isRepeated && (!original || (original.frozen && !entry.frozen))) originals.set(key, entry);
    if (original && !original.frozen && repair.canFix(entry, 'duplicate-id')) {
      dropCopy(repair, entry, original);
      current.set(id, original);
      continue;
    }
    count++;
    parents[position] = parentAt(repair, entry, last);
    for (const reference of entry.references) followRenamed(repair, entry, reference.key, reference.id);
    const isTaken = isRepeated && !original && current.has(id) && repair.canFix(entry, 'duplicate-id');
    if (isTaken || repair.withoutId.has(entry)) rename(repair, entry, count);
    if (isRepeated) current.set(id, entry);
    last = position;
  }
}

/** Whether the entry stays and has an id of its own. */
function keepsId(repair: RepairState, entry: RepairEntry): boolean {
  return typeof entry.id === 'string' && !repair.withoutId.has(entry) && !entry.edits?.drop;
}

/** Agents cannot read an entry after a byte order mark, so it is dropped as the copy of a later healthy one. */
function dropBehindMark(repair: RepairState): void {
  const { index } = repair;
  const [marked] = index.entries;
  if (!index.keepsMark || marked?.line !== 1 || marked.inRegion || !repair.shouldFix('duplicate-id')) return;
  const isCopy = (one: RepairEntry): boolean => one.id === marked.id && one.digest === marked.digest && !one.frozen;
  const healthy = index.entries.find((one) => one !== marked && isCopy(one) && keepsId(repair, one));
  if (healthy && keepsId(repair, marked)) dropCopy(repair, marked, healthy);
}

function dropCopy(repair: RepairState, copy: RepairEntry, original: RepairEntry): void {
  repair.drop(copy, 'duplicate-id', `moved an exact copy of line ${original.line} to quarantine`);
}

function rename(repair: RepairState, entry: RepairEntry, count: number): void {
  const { id } = entry;
  const idAfter = repair.newId(count);
  const change = { key: 'id', json: JSON.stringify(idAfter), idAfter };
  entry.newId = idAfter;
  if (repair.withoutId.has(entry)) {
    const rule = id === undefined ? 'missing-field' : 'wrong-type';
    repair.setMember(entry, { ...change, rule, words: `set the id to '${idAfter}'` });
  } else {
    const words = `changed the id of the second entry '${id}' to '${idAfter}'`;
    repair.setMember(entry, { ...change, rule: 'duplicate-id', words, idBefore: String(id) });
  }
}

function parentAt(repair: RepairState, entry: RepairEntry, last: number): number {
  const { parentId } = entry;
  if (repair.orphans.has(entry)) return LOST;
  // In version 1 the order of the lines is the tree.
  if (parentId === undefined && repair.version === 1) return last;
  if (typeof parentId !== 'string' || parentId === '') return ROOT;
  return followRenamed(repair, entry, 'parentId', parentId)?.position ?? UNRESOLVED;
}

/** Returns the entry that a member names, and updates the member if that entry got a new id. */
function followRenamed(repair: RepairState, entry: RepairEntry, key: string, id: string): RepairEntry | undefined {
  const target = repair.resolve(id);
  const idAfter = target?.newId;
  if (idAfter === undefined || target === entry || entry.frozen) return target;
  const change = { rule: 'duplicate-id', words: `updated ${key} to '${idAfter}'`, idBefore: id, idAfter };
  repair.setMember(entry, { key, json: JSON.stringify(idAfter), ...change });
  return target;
}

/** Entries tried as a parent, so that a hostile log takes no quadratic time. */
const MOST_TRIED = 1000;

/** Finds a new parent for entries that lost theirs, in file order. */
export function reattachLost(repair: RepairState): void {
  const { orphans, parents } = repair;
  const { entries } = repair.index;
  const lost = [...orphans].filter(([{ position }]) => parents[position] === LOST);
  /** Union-find: the way from each entry to the top of its tree, with path compression. */
  const up = Int32Array.from(parents, (parent, position) => (parent >= 0 ? parent : position));
  const topOf = (position: number): number => {
    let top = position;
    while (up[top] !== top) top = up[top] as number;
    for (let at = position; at !== top; ) {
      const next = up[at] as number;
      up[at] = top;
      at = next;
    }
    return top;
  };
  /** By entry: the ids of the lost entries above it. */
  const lostAbove = new Map<RepairEntry, Iterable<string>>();
  let seen = 0;
  let last = ROOT;
  for (const [entry, rule] of lost.sort(([a], [b]) => a.position - b.position)) {
    const { position } = entry;
    for (; seen < position; seen++) if (canBeParent(entries[seen] as RepairEntry)) last = seen;
    // A descendant cannot become the parent.
    const isAllowed = (parent: number): boolean =>
      parent < 0 || (canBeParent(entries[parent] as RepairEntry) && topOf(parent) !== position);
    const chain = rule === 'dangling-parent' ? lostChain(repair, entry) : undefined;
    if (chain) lostAbove.set(entry, chain.ids);
    let parent = chain?.survivor ?? last;
    if (!isAllowed(parent)) parent = last;
    for (let tried = 0; !isAllowed(parent); tried++) parent = tried < MOST_TRIED ? parent - 1 : ROOT;
    parents[position] = parent;
    if (parent >= 0) up[position] = parent;
    const above = entries[parent];
    repair.reattach(entry, above && repair.idOf(above), rule);
  }
  if (lostAbove.size > 0) keepFromFollowers(repair, lostAbove);
}

/** Compactions whose first kept entry was lost keep from the one behind it; else agents keep nothing. */
function keepFromFollowers(repair: RepairState, lostAbove: ReadonlyMap<RepairEntry, Iterable<string>>): void {
  /** By the id of a lost entry: the one behind it where a kept range can start. It starts with no tool result. */
  const followers = new Map<unknown, RepairEntry>();
  const waiting = new Set<string>();
  for (const entry of repair.index.entries) {
    for (const id of lostAbove.get(entry) ?? []) waiting.add(id);
    if (canBeParent(entry) && entry.role !== 'toolResult') {
      for (const id of waiting) followers.set(id, entry);
      waiting.clear();
    }
    if (followers.size > 0) keepFromFollower(repair, entry, followers);
  }
}

function keepFromFollower(repair: RepairState, entry: RepairEntry, followers: ReadonlyMap<unknown, RepairEntry>): void {
  const kept = entry.references.find(({ key }) => key === 'firstKeptEntryId')?.id;
  const follower = followers.get(kept);
  const idAfter = follower && repair.idOf(follower);
  if (idAfter === undefined || entry.edits?.drop || repair.resolve(kept)) return;
  if (!repair.canFix(entry, 'dangling-parent')) return;
  const words = `changed the first kept entry from '${kept}', which is lost, to '${idAfter}' (assumed)`;
  const change = { rule: 'dangling-parent', words, idBefore: kept, idAfter, assumed: true };
  repair.setMember(entry, { key: 'firstKeptEntryId', json: JSON.stringify(idAfter), ...change });
}

function canBeParent({ id, newId, edits }: RepairEntry): boolean {
  return !edits?.drop && (newId !== undefined || (typeof id === 'string' && id !== ''));
}

/**
 * Follows the chain of parents that damaged lines still show: the ids of lost entries, and the nearest entry that
 * survived. That is ROOT if the chain ends at a root, undefined if it is lost. Only entries before this one count:
 * agents write a parent first.
 */
function lostChain(repair: RepairState, entry: RepairEntry): { ids: Iterable<string>; survivor: number | undefined } {
  const { salvagedParents } = repair.index;
  const ids = new Set<string>();
  let id: unknown = entry.parentId;
  while (typeof id === 'string' && !ids.has(id)) {
    const first = repair.first.get(id);
    const found = [repair.resolve(id), first?.edits?.drop ? undefined : first].find(
      (one) => one && one.position < entry.position,
    );
    if (found) return { ids, survivor: found.position };
    ids.add(id);
    id = salvagedParents.get(id);
  }
  return { ids, survivor: id === null ? ROOT : undefined };
}
