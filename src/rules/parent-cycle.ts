import { cycles } from '../tree/children.ts';
import { counted } from '../util/words.ts';
import { LOST, type RepairState, ROOT } from './fix/repair-state.ts';
import type { Rule } from './rule.ts';

export const parentCycle: Rule = {
  id: 'parent-cycle',
  level: 'error',
  group: 'tree',
  summary: 'entries form a cycle of parents, or one is its own parent',
  why: 'Agents that follow the parents never reach a root: they hang or run out of memory.',
  arises: 'A script or a faulty migration changed ids or parents.',
  advice: "'sessionctl repair' breaks the cycle at its earliest entry.",
  fixable: true,
  example: '{"type":"message","id":"a","parentId":"b",…}\n{"type":"message","id":"b","parentId":"a",…}',
  end: (log, report) => {
    for (const { position, length } of log.cycles) {
      const message =
        length === 1
          ? 'the entry is its own parent'
          : `the parents of ${counted(length, 'entry', 'entries')} form a cycle`;
      report(log.placeOf(position, 'parentId'), message);
    }
  },
  fix: { end: cutCycles },
};

/** In each cycle the earliest entry of the file has lost its parent. */
function cutCycles(repair: RepairState): void {
  const { index, parents, orphans } = repair;
  const forwardParents = parents.reduce((count, parent, entry) => (parent >= entry ? count + 1 : count), 0);
  for (const earliest of cycles({
    size: parents.length,
    parentOf: (entry) => parents[entry] as number,
    forwardParents,
  })) {
    const entry = index.entries[earliest];
    const isLost = entry !== undefined && repair.mayFix(entry, 'parent-cycle');
    parents[earliest] = isLost ? LOST : ROOT;
    if (isLost) orphans.set(entry, 'parent-cycle');
  }
}
