import { reattachRecord } from './fix/record-fixes.ts';
import { LOST, ROOT, UNRESOLVED } from './positions.ts';
import { defineRule } from './rule.ts';

export const danglingParent = defineRule('dangling-parent', 'error', 'tree', {
  summary: "an entry's parent is not in the file",
  why: 'The path to the entry ends there: the model sees nothing of what came before.',
  arises: 'The parent was truncated, lost or removed, or the file is part of another one.',
  advice:
    "'sessionctl repair' reattaches the entry to the nearest surviving entry. A compaction whose first kept entry is the lost one then keeps from the entry behind it.",
  example: '{"type":"message","id":"b2c3d4e5","parentId":"deadbeef",…}',
  end: (log, report) => {
    // A line that could not be read may have any id.
    for (const { position, parentId } of log.lostParents) {
      if (log.firstOversizeLine > 0 && log.firstOversizeLine < log.index.lineOf(position)) continue;
      report(log.placeOf(position, 'parentId'), `parent '${parentId}' is not in this file`);
    }
  },
  recordsEnd: (log, report) => {
    for (let position = 0; position < log.size; position++) {
      const parent = log.parentOf(position);
      if (parent >= 0 || !log.isInConversation(position) || log.mayBeRoot(position) || log.isFirst(position)) continue;
      const isHidden = log.firstOversizeLine > 0 && log.firstOversizeLine < log.lineOf(position);
      if (isHidden || log.isCopy(position)) continue;
      const id = log.parentIdOf(position);
      if (parent === LOST) report(log.placeOf(position), `parent '${id}' is not in this file`);
      else if (id === null)
        report(log.placeOf(position), 'it names no parent, although the conversation began before it');
    }
  },
  fix: {
    parents: reattachRecord,
    end: (repair) => {
      const { index, parents, orphans } = repair;
      for (const entry of index.entries) {
        if (parents[entry.position] !== UNRESOLVED) continue;
        const isHidden = index.firstOversizeLine > 0 && index.firstOversizeLine < entry.line;
        const isLost = !isHidden && entry.parentId !== repair.headerId && repair.canFix(entry, 'dangling-parent');
        parents[entry.position] = isLost ? LOST : ROOT;
        if (isLost) orphans.set(entry, 'dangling-parent');
      }
    },
  },
});
