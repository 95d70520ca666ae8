import type { Rule } from './rule.ts';

export const danglingKeptEntry: Rule = {
  id: 'dangling-kept-entry',
  level: 'warning',
  group: 'references',
  summary: "a compaction's first kept entry is not in the file",
  why: 'Nothing before the compaction is kept: the model sees only the summary.',
  arises: 'The entry was lost, or a migration miscounted.',
  advice: 'No command fixes it: only the program that wrote it knows which entry was meant.',
  fixable: false,
  example: '{"type":"compaction","id":"c",…,"summary":"…","firstKeptEntryId":"gone"}',
  end: (log, report) => {
    for (const { kind, position, id } of log.references) {
      if (kind !== 'kept' || id === log.idOf(position) || log.find(id) >= 0) continue;
      report(
        log.placeOf(position, 'firstKeptEntryId'),
        `the first kept entry '${id}' is not in this file, so nothing is kept`,
      );
    }
  },
};
