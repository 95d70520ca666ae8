import { placeOfRecord } from './check/checked-record.ts';
import { assignIds } from './fix/rebuild-tree.ts';
import { fixRecordIds } from './fix/record-fixes.ts';
import { defineRule, placeOf } from './rule.ts';

export const duplicateId = defineRule('duplicate-id', 'error', 'tree', {
  summary: 'an id was already used by an earlier entry',
  why: 'Agents keep only one of the two: the other and the branch it belongs to disappear, or the path becomes a cycle and the agent hangs.',
  arises: 'Two processes wrote to the same session, or lines were copied.',
  advice:
    "'sessionctl repair' gives the later entry a new id and updates the entries that refer to it; an exact copy goes to quarantine.",
  example:
    '{"type":"message","id":"b2c3d4e5","parentId":"a1b2c3d4",…}\n{"type":"message","id":"b2c3d4e5","parentId":"a1b2c3d4",…}',
  looksAt: 'values',
  object: (object, log, report) => {
    if (object.kind !== 'entry' || object.id === undefined) return;
    const earlier = log.index.find(object.id);
    if (earlier >= 0)
      report(placeOf(object, 'id'), `id '${object.id}' was already used on line ${log.index.lineOf(earlier)}`);
  },
  record: (record, log, report) => {
    const { id } = record.facts;
    const earlier = id === undefined ? -1 : log.find(id);
    if (id === undefined || earlier < 0) return;
    const isCopy = log.isCopied(record);
    const words = isCopy ? ', by a record that is the same' : '';
    const message = `id '${id}' was already used on line ${log.lineOf(earlier)}${words}`;
    report(placeOfRecord(record), message, isCopy ? 'warning' : undefined);
  },
  fix: { end: assignIds, records: fixRecordIds },
});
