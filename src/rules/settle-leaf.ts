import { Flag } from './repair-index.ts';
import type { RepairState } from './repair-state.ts';

/**
 * Where the last entry hides newer work on another branch, one entry below that work makes it the leaf again. It says
 * nothing to the model and stays out of every context.
 */
export function settleLeaf(repair: RepairState): void {
  const { index, parents, lastEntry: last } = repair;
  if (last < 0 || repair.has(last, Flag.frozen)) return;
  let leaf = last;
  const tried = new Set<number>();
  while (!tried.has(leaf)) {
    tried.add(leaf);
    const newer = newerThan(repair, parents, leaf);
    if (newer === undefined) break;
    leaf = newer;
  }
  const parentId = leaf === last ? undefined : repair.idOf(leaf);
  if (parentId === undefined) return;
  const id = repair.mint(index.size + 1);
  const entry = {
    type: 'custom',
    id,
    parentId,
    timestamp: index.lastTimestamp ?? '',
    customType: 'sessionctl/settle-leaf',
    data: { leafBefore: repair.idOf(last) ?? null },
  };
  repair.insertAfter(last, {
    text: JSON.stringify(entry),
    rule: 'stale-leaf',
    words: `appended an entry below '${parentId}', which is the leaf again`,
    idAfter: id,
  });
}

/**
 * The newest entry beside the branch of a leaf, where the leaf hides it: nothing on the way up to the first entry with
 * another child is shown to the model, and another branch from there holds a message.
 */
function newerThan(repair: RepairState, parents: Int32Array, leaf: number): number | undefined {
  const children = new Uint32Array(parents.length);
  for (let entry = 0; entry < parents.length; entry++) {
    const parent = parents[entry] as number;
    if (parent >= 0 && !repair.isDropped(entry)) children[parent] = Math.min(2, (children[parent] as number) + 1);
  }
  let own = leaf;
  let fork = parents[own] as number;
  while (!repair.has(own, Flag.spoken) && fork >= 0 && (children[fork] as number) < 2) {
    own = fork;
    fork = parents[own] as number;
  }
  if (fork < 0 || repair.has(own, Flag.spoken)) return undefined;
  return newestBeside(repair, parents, fork, own);
}

const UNKNOWN = 0;
const BESIDE = 1;
const ELSEWHERE = 2;

function newestBeside(repair: RepairState, parents: Int32Array, fork: number, own: number): number | undefined {
  const where = new Uint8Array(parents.length);
  where[fork] = ELSEWHERE;
  where[own] = ELSEWHERE;
  let newest: number | undefined;
  let holdsMessage = false;
  for (let entry = 0; entry < parents.length; entry++) {
    if (repair.isDropped(entry)) continue;
    let top = entry;
    while (where[top] === UNKNOWN && parents[top] !== fork && (parents[top] as number) >= 0) top = parents[top] as number;
    const place = where[top] !== UNKNOWN ? (where[top] as number) : parents[top] === fork ? BESIDE : ELSEWHERE;
    for (let at = entry; at >= 0 && where[at] === UNKNOWN; at = at === top ? -1 : (parents[at] as number)) where[at] = place;
    if (place !== BESIDE) continue;
    newest = entry;
    if (repair.has(entry, Flag.message)) holdsMessage = true;
  }
  return holdsMessage ? newest : undefined;
}
