import { defineRule } from './rule.ts';

export const danglingKeptEntry = defineRule('dangling-kept-entry', 'warning', 'references', {
  summary: "a compaction's first kept entry is not in the file",
  why: 'Nothing before the compaction is kept: the model sees only the summary.',
  arises: 'The entry was lost, or a migration miscounted.',
  advice:
    "If an entry names the lost one as its parent, too, 'sessionctl repair' keeps from that entry (see dangling-parent). Else only the program that wrote it knows which entry was meant.",
  example: '{"type":"compaction","id":"b2c3d4e5",…,"firstKeptEntryId":"deadbeef",…}',
  end: (log, report) => {
    for (const { kind, position, id } of log.references) {
      if (kind !== 'kept' || id === log.index.idOf(position) || log.index.find(id) >= 0) continue;
      const message = `the first kept entry '${id}' is not in this file, so nothing is kept`;
      report(log.placeOf(position, 'firstKeptEntryId'), message);
    }
  },
});
