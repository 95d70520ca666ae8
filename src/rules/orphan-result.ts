import { branchFacts } from './check/walk.ts';
import type { Rule } from './rule.ts';

export const orphanResult: Rule = {
  id: 'orphan-result',
  level: 'warning',
  group: 'tools',
  summary: 'a tool result has no matching call earlier on its path',
  why: 'Providers reject a request with such a result, so the session cannot continue until the agent drops it.',
  arises: 'The call was lost or truncated, or the result is attached to the wrong entry.',
  advice: 'No command fixes it; repairing the line that had the call may bring the call back.',
  fixable: false,
  example: '{"type":"message","id":"b",…,"message":{"role":"toolResult","toolCallId":"t9",…}}',
  end: (log, report) => {
    for (const position of branchFacts(log).orphans) {
      report(
        log.placeOf(position, 'message.toolCallId'),
        `no matching tool call '${log.callIds.text(log.resultId(position))}' earlier on this path`,
      );
    }
  },
};
