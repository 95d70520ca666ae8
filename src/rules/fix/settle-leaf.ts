import { LogIndex, NO_PARENT } from '../../log/log-index.ts';
import { staleLeaf } from '../../tree/path.ts';
import { Flag } from './repair-index.ts';
import type { RepairState } from './repair-state.ts';

/**
 * Where the last entry hides newer work on another branch, one entry below that work makes it the leaf again. It says
 * nothing to the model and stays out of every context.
 */
export function settleLeaf(repair: RepairState): void {
  const { index, lastEntry: last } = repair;
  if (last < 0 || repair.has(last, Flag.frozen)) return;
  const tree = treeOf(repair);
  let leaf = last;
  const tried = new Set<number>();
  while (!tried.has(leaf)) {
    tried.add(leaf);
    const newer = staleLeaf(tree, leaf);
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

/** The tree as it will be, with all that makes a leaf stale. */
function treeOf(repair: RepairState): LogIndex {
  const tree = new LogIndex(new Uint8Array(8));
  repair.parents.forEach((parent, entry) => {
    const type = repair.has(entry, Flag.message) ? 'message' : repair.has(entry, Flag.spoken) ? 'compaction' : 'custom';
    const place = { line: 0, offset: 0, length: 0 };
    tree.add({ id: undefined, parentId: null, parent: repair.isDropped(entry) ? NO_PARENT : parent, type, ...place });
  });
  tree.finish();
  return tree;
}
