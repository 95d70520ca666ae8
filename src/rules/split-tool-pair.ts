import { branchFacts } from './check/branch-facts.ts';
import { KIND } from './check/log-facts.ts';
import { defineRule } from './rule.ts';

export const splitToolPair = defineRule('split-tool-pair', 'warning', 'tools', {
  summary: 'the first entry that a compaction keeps is a tool result without its call',
  why: 'Providers reject a request that starts with a result, so the first request after the compaction fails.',
  arises: 'The agent cut between a call and its result.',
  advice: 'No command fixes it; agents that drop such results are not affected.',
  example:
    '{"type":"message","id":"c3d4e5f6",…,"message":{"role":"toolResult",…}}\n{"type":"compaction",…,"firstKeptEntryId":"c3d4e5f6",…}',
  end: (log, report) => {
    for (const { kind, position, id } of log.references) {
      const kept = kind === 'kept' ? log.index.resolve(id, position) : position;
      if (kept < 0 || kept === position || log.kindOf(kept) !== KIND.toolResult) continue;
      if (branchFacts(log).offPath.has(position)) continue;
      const message = `the first kept entry '${id}' on line ${log.index.lineOf(kept)} is a tool result without its call`;
      report(log.placeOf(position, 'firstKeptEntryId'), message);
    }
  },
});
