import { branchFacts } from './check/walk.ts';
import type { Rule } from './rule.ts';

export const keptEntryOffPath: Rule = {
  id: 'kept-entry-off-path',
  level: 'warning',
  group: 'references',
  summary: "a compaction's first kept entry is not earlier on its path",
  why: 'Nothing before the compaction is kept: the model sees only the summary.',
  arises: 'A compaction was copied to another branch, or an index was migrated incorrectly.',
  advice: 'No command fixes it: only the program that wrote it knows which entry was meant.',
  fixable: false,
  example: '{"type":"compaction","id":"c","parentId":"b",…,"firstKeptEntryId":"x"}   (x is on another branch)',
  end: (log, report) => {
    if (!log.references.some(({ kind }) => kind === 'kept')) return;
    const { offPath } = branchFacts(log);
    for (const { kind, position, id } of log.references) {
      if (kind !== 'kept' || id === log.idOf(position) || !offPath.has(position)) continue;
      const kept = log.index.resolve(id, position);
      report(
        log.placeOf(position, 'firstKeptEntryId'),
        `the first kept entry '${id}' on line ${log.lineOf(kept)} is not on the path to the compaction, so nothing is kept`,
      );
    }
  },
};
