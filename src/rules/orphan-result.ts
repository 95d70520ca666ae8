import { branchFacts } from './check/walk.ts';
import { removeBlock } from './fix/record-fixes.ts';
import { defineRule } from './rule.ts';

export const orphanResult = defineRule('orphan-result', 'warning', 'tools', {
  summary: 'a tool result has no matching call earlier on its path',
  why: 'Providers reject a request with such a result, so the session cannot continue until the agent drops it.',
  arises: 'The call was lost or truncated, or the result is attached to the wrong entry.',
  advice:
    "In a log of pi or omp no command fixes it, but repairing the line that had the call may bring the call back; in one of Claude Code or Codex 'sessionctl repair' moves it to quarantine.",
  example: '{"type":"message","id":"b",…,"message":{"role":"toolResult","toolCallId":"t9",…}}',
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
  },
  fix: { records: removeBlock },
});
