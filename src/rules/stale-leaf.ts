import { hiddenWork } from '../tree/path.ts';
import { settleLeaf } from './fix/settle.ts';
import { defineRule } from './rule.ts';

export const staleLeaf = defineRule('stale-leaf', 'warning', 'tree', {
  summary: 'the entry that an agent resumes at hides newer work on another branch',
  why: 'Agents resume at one entry, most at the last of the file: they show an old state, and the work on the other branch looks lost.',
  arises:
    "A label, a model change or an extension's entry was added to an older part of the tree, and no message followed it; or lines were sorted or copied, and the last entry now has others below it.",
  advice:
    "'sessionctl tree --leaves' shows the branches. In a log of pi or omp 'sessionctl repair --settle-leaf' appends an entry below the newer work.",
  example:
    '{"type":"message","id":"a1b2c3d4",…}\n{"type":"message","id":"b2c3d4e5","parentId":"a1b2c3d4",…}\n{"type":"label","id":"e5f6a7b8","parentId":"a1b2c3d4",…}',
  end: (log, report) => {
    const newest = hiddenWork(log.index);
    if (newest === undefined) return;
    const newer = log.index.idOf(newest);
    const message = `the leaf hides the messages on another branch; its newest entry is ${newer === undefined ? '' : `'${newer}' `}on line ${log.index.lineOf(newest)}`;
    report(log.placeOf(log.index.size - 1), message);
  },
  recordsEnd: (log, report) => {
    const { named, newest } = log.ends;
    if (newest < 0 || named < 0 || log.isBelow(newest, named) || log.isBelow(named, newest)) return;
    const message = `it has the latest time, but the conversation ends on another branch, on line ${log.lineOf(named)}`;
    report(log.placeOf(newest), message);
  },
  settle: settleLeaf,
});
