import { branchFacts } from './check/branch-facts.ts';
import { defineRule } from './rule.ts';

export const keptEntryOffPath = defineRule('kept-entry-off-path', 'warning', 'references', {
  summary: "a compaction's first kept entry is not earlier on its path",
  why: 'Nothing before the compaction is kept: the model sees only the summary.',
  arises: 'A compaction was copied to another branch, or an index was migrated incorrectly.',
  advice: 'No command fixes it: only the program that wrote it knows which entry was meant.',
  example:
    '{"type":"message","id":"b2c3d4e5","parentId":"a1b2c3d4",…}\n{"type":"compaction","id":"c3d4e5f6","parentId":"a1b2c3d4",…,"firstKeptEntryId":"b2c3d4e5",…}',
  end: (log, report) => {
    if (!log.references.some(({ kind }) => kind === 'kept')) return;
    const { offPath } = branchFacts(log);
    for (const { kind, position, id } of log.references) {
      if (kind !== 'kept' || id === log.index.idOf(position) || !offPath.has(position)) continue;
      const kept = log.index.resolve(id, position);
      const message = `the first kept entry '${id}' on line ${log.index.lineOf(kept)} is not on the path to the compaction, so nothing is kept`;
      report(log.placeOf(position, 'firstKeptEntryId'), message);
    }
  },
});
