import { counted } from '../util/words.ts';
import { completeCompaction } from './fix/record-fixes.ts';
import { defineRule } from './rule.ts';

export const halfCompaction = defineRule('half-compaction', 'error', 'references', {
  summary: 'a compaction has no summary, or keeps records that are not in the file',
  why: 'What came before the compaction is hidden, and nothing takes its place: the model knows nothing of the earlier work.',
  arises: 'The agent was stopped while it compacted, or lines behind the compaction were lost.',
  advice:
    "'sessionctl repair' completes the compaction from what is in the file, or moves it to quarantine so that the earlier work is in view again.",
  example: '{…,"type":"system","subtype":"compact_boundary",…,"compactMetadata":{"trigger":"manual",…},…}',
  recordsEnd: (log, report) => {
    for (const { position, kept, hasSummary } of log.compactions) {
      if (!hasSummary) report(log.placeOf(position), 'the compaction has no summary');
      const lost = kept.filter((id) => log.find(id) < 0);
      if (lost.length === 0) continue;
      const message = `${counted(lost.length, 'record')} that the compaction keeps ${lost.length === 1 ? 'is' : 'are'} not in this file: '${lost[0]}'`;
      report(log.placeOf(position), message);
    }
  },
  fix: { records: completeCompaction },
});
