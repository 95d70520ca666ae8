import { KIND } from '../log-facts.ts';
import type { Rule } from '../rule.ts';
import { branchFacts } from '../walk.ts';

export const splitToolPair: Rule = {
  id: 'split-tool-pair',
  level: 'warning',
  group: 'tools',
  summary: 'what a compaction keeps starts with a tool result without its call',
  why: 'Providers refuse a request that starts with a result, so the first request after the compaction fails.',
  arises: 'The agent cut between a call and its result.',
  mend: 'Nothing is mended; agents that drop such results cope.',
  fixable: false,
  example: '{"type":"compaction",…,"firstKeptEntryId":"r1"}   (r1 is a toolResult)',
  end: (log, report) => {
    for (const { kind, position, id } of log.references) {
      if (kind !== 'kept') continue;
      const kept = log.index.resolve(id, position);
      if (kept < 0 || kept === position || log.kindOf(kept) !== KIND.toolResult || branchFacts(log).offPath.has(position)) continue;
      report(
        log.placeOf(position, 'firstKeptEntryId'),
        `the first kept entry '${id}' on line ${log.lineOf(kept)} is a tool result without its call`,
      );
    }
  },
};
