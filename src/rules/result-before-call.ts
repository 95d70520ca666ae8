import { branchFacts } from './check/walk.ts';
import type { Rule } from './rule.ts';

export const resultBeforeCall: Rule = {
  id: 'result-before-call',
  level: 'warning',
  group: 'tools',
  summary: 'a tool result comes before its call on the same path',
  why: 'Providers reject a request in which a result comes before its call.',
  arises: 'Lines were written or merged in the wrong order.',
  advice: 'No command fixes it.',
  fixable: false,
  example:
    '{…"role":"toolResult","toolCallId":"t1"…}\n{…"role":"assistant","content":[{"type":"toolCall","id":"t1",…}]…}',
  end: (log, report) => {
    for (const { position, callLine } of branchFacts(log).beforeCall) {
      report(
        log.placeOf(position, 'message.toolCallId'),
        `the result of '${log.callIds.text(log.resultId(position))}' comes before its call on line ${callLine}`,
      );
    }
  },
};
