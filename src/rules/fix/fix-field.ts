import { messageOf } from '../../entries/envelope-check.ts';
import { entryTypeOf } from '../../entries/types/index.ts';
import type { JsonObject } from '../../json/value.ts';
import { Flag, NO_PARENT, type ObjectFinding } from './repair-index.ts';
import type { RepairState } from './repair-state.ts';

/**
 * An entry without a usable type, id, parentId, message or role. What has a known type and its payload is kept: it gets an
 * id, and looks for a parent with the others that lost theirs. The rest leaves.
 */
export function fixField(repair: RepairState, { unit: entry, rule, path }: ObjectFinding): void {
  if (typeof entry !== 'number') return;
  if (path === 'type') leave(repair, entry, rule, 'an entry without a usable type');
  else if (path === 'message') leave(repair, entry, rule, 'a message entry without a message');
  else if (path === 'message.role') leave(repair, entry, rule, 'a message without a role');
  // Version 1 has no tree; that it is version 1 may have been said only behind the entry.
  else if (repair.version === 1) return;
  else if (!repair.has(entry, Flag.payload)) leave(repair, entry, rule, `an entry without a usable ${path}`);
  else if (path === 'id') repair.idless.add(entry);
  else repair.orphans.set(entry, rule);
}

function leave(repair: RepairState, entry: number, rule: string, what: string): void {
  repair.drop(entry, rule, `moved ${what} to quarantine`);
  // Its children can still follow the chain that it was a part of.
  const { ids, parents, shown } = repair.index;
  const id = ids.at(entry);
  const parent = parents.at(entry);
  if (id >= 0 && (parent >= 0 || parent === NO_PARENT) && !shown.has(id)) shown.set(id, parent);
}

/** A known type with what makes it worth keeping, whatever is wrong with its place in the tree. */
export function hasPayload(value: JsonObject): boolean {
  const type = entryTypeOf(value['type']);
  if (!type) return false;
  if (type.name === 'message') return typeof messageOf(value)?.['role'] === 'string';
  return !type.payload || type.payload.some((keys) => keys.every((key) => value[key] !== undefined));
}
