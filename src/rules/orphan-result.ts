import { branchFacts } from './check/branch-facts.ts';
import { strayResults } from './check/record-paths.ts';
import { removeBlock } from './fix/record-fixes.ts';
import { defineRule } from './rule.ts';

export const orphanResult = defineRule('orphan-result', 'warning', 'tools', {
  summary: 'a tool result has no matching call earlier on its path',
  why: 'Providers reject a request with such a result, so the session cannot continue until the agent drops it.',
  arises:
    'The call was lost or truncated, the result is attached to the wrong entry, or a compaction came between the two.',
  advice:
    "In a log of pi or omp no command fixes it, but repairing the line that had the call may bring the call back; in one of Claude Code or Codex 'sessionctl repair' moves it to quarantine.",
  example: '{"type":"message","id":"b2c3d4e5",…,"message":{"role":"toolResult","toolCallId":"toolu_09",…}}',
  end: (log, report) => {
    for (const position of branchFacts(log).orphans) {
      const message = `no matching tool call '${log.resultId(position)}' earlier on this path`;
      report(log.placeOf(position, 'message.toolCallId'), message);
    }
  },
  recordsEnd: (log, report) => {
    for (const [call, results] of log.results) {
      if (log.calls.has(call)) continue;
      for (const { position, path } of results)
        report(log.placeOf(position, path), `no call '${log.callIds.text(call)}' is in this file`);
    }
    for (const { call, calledAt, result, compaction } of strayResults(log)) {
      const { position, path } = result;
      const where =
        compaction < 0 ? 'is not on the same path' : `is hidden by the compaction on line ${log.lineOf(compaction)}`;
      const message = `its call '${log.callIds.text(call)}' on line ${log.lineOf(calledAt)} ${where}`;
      report(log.placeOf(position, path), message);
    }
  },
  fix: { records: removeBlock },
});
