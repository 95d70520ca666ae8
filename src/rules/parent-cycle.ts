import { cycles } from '../tree/children.ts';
import { counted } from '../util/words.ts';
import { reattachRecord } from './fix/record-fixes.ts';
import type { RepairState } from './fix/repair-state.ts';
import { LOST, ROOT } from './positions.ts';
import { defineRule } from './rule.ts';

export const parentCycle = defineRule('parent-cycle', 'error', 'tree', {
  summary: 'entries form a cycle of parents, or one is its own parent',
  why: 'Agents that follow the parents never reach a root: they hang or run out of memory.',
  arises: 'A script or a faulty migration changed ids or parents.',
  advice: "'sessionctl repair' breaks the cycle at its earliest entry.",
  example:
    '{"type":"message","id":"a1b2c3d4","parentId":"b2c3d4e5",…}\n{"type":"message","id":"b2c3d4e5","parentId":"a1b2c3d4",…}',
  end: (log, report) => {
    for (const { position, length } of log.cycles) {
      const cycle = `the parents of ${counted(length, 'entry', 'entries')} form a cycle`;
      report(log.placeOf(position, 'parentId'), length === 1 ? 'the entry is its own parent' : cycle);
    }
  },
  recordsEnd: (log, report) => {
    for (const { position, length } of log.cycles()) {
      const cycle = `the parents of ${counted(length, 'record')} form a cycle`;
      report(log.placeOf(position), length === 1 ? 'the record is its own parent' : cycle);
    }
  },
  fix: { end: cutCycles, parents: reattachRecord },
});

/** Cuts each cycle at its earliest entry. */
function cutCycles(repair: RepairState): void {
  const { index, parents, orphans } = repair;
  const forwardParents = parents.reduce((count, parent, entry) => (parent >= entry ? count + 1 : count), 0);
  const parentOf = (at: number): number => parents[at] as number;
  for (const earliest of cycles({ size: parents.length, parentOf, forwardParents })) {
    const entry = index.entries[earliest];
    const isLost = entry !== undefined && repair.canFix(entry, 'parent-cycle');
    parents[earliest] = isLost ? LOST : ROOT;
    if (isLost) orphans.set(entry, 'parent-cycle');
  }
}
