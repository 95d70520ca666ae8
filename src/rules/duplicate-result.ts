import { branchFacts } from './check/branch-facts.ts';
import { secondResults } from './check/record-paths.ts';
import { removeBlock } from './fix/record-fixes.ts';
import { defineRule } from './rule.ts';

export const duplicateResult = defineRule('duplicate-result', 'warning', 'tools', {
  summary: 'a tool call has a second result before the next assistant message',
  why: 'Providers reject a request with two results for one call.',
  arises: 'Two processes answered one call, or a line was written twice.',
  advice:
    "Agents that send only the first result are not affected. In a log of pi or omp no command fixes it; in one of Codex 'sessionctl repair' moves the second result to quarantine.",
  example:
    '{"type":"message",…,"message":{"role":"toolResult","toolCallId":"toolu_01",…}}\n{"type":"message",…,"message":{"role":"toolResult","toolCallId":"toolu_01",…}}',
  end: (log, report) => {
    for (const position of branchFacts(log).duplicates) {
      report(log.placeOf(position, 'message.toolCallId'), `a second result for call '${log.resultId(position)}'`);
    }
  },
  recordsEnd: (log, report) => {
    for (const [call, results] of log.results)
      for (const { position, path } of secondResults(log, results))
        report(log.placeOf(position, path), `a second result for call '${log.callIds.text(call)}'`);
  },
  fix: { records: removeBlock },
});
