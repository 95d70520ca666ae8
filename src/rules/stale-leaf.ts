import { staleLeaf as newestHidden } from '../tree/path.ts';
import { settleLeaf } from './fix/settle.ts';
import { defineRule } from './rule.ts';

export const staleLeaf = defineRule('stale-leaf', 'warning', 'tree', {
  summary: 'the last entry hides newer work on another branch',
  why: 'Agents resume at the last entry of the file: they show an old state, and the work on the other branch looks lost.',
  arises:
    "A label, a model change or an extension's entry was added to an older part of the tree, and no message followed it.",
  advice:
    "'sessionctl repair --settle-leaf' appends an entry below the newer work; 'sessionctl tree --leaves' shows the branches.",
  example:
    '{"type":"message","id":"a",…}\n{"type":"message","id":"b","parentId":"a",…}\n{"type":"label","id":"c","parentId":"a",…}',
  end: (log, report) => {
    const newest = newestHidden(log.index);
    if (newest === undefined) return;
    const newer = log.index.idOf(newest);
    const message = `the leaf hides the messages on another branch; its newest entry is ${newer === undefined ? '' : `'${newer}' `}on line ${log.index.lineOf(newest)}`;
    report(log.placeOf(log.index.size - 1), message);
  },
  recordsEnd: (log, report) => {
    const { leaf, lastSpoken } = log;
    const named = leaf ? log.find(leaf.id) : -1;
    if (!leaf || named < 0 || lastSpoken < 0) return;
    if (log.isBelow(lastSpoken, named) || log.isBelow(named, lastSpoken)) return;
    const message = `the leaf that it names is on another branch than the newest record, on line ${log.lineOf(lastSpoken)}`;
    report(log.placeOf(leaf.position), message);
  },
  settle: settleLeaf,
});
