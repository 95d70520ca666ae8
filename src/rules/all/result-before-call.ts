import type { Rule } from '../rule.ts';
import { branchFacts } from '../walk.ts';

export const resultBeforeCall: Rule = {
  id: 'result-before-call',
  level: 'warning',
  group: 'tools',
  summary: 'a tool result stands above its call on the same path',
  why: 'Providers refuse a request in which a result comes before its call.',
  arises: 'Lines were written or merged in the wrong order.',
  mend: 'Nothing is mended.',
  fixable: false,
  example: '{…"role":"toolResult","toolCallId":"t1"…}\n{…"role":"assistant","content":[{"type":"toolCall","id":"t1",…}]…}',
  end: (log, report) => {
    for (const { position, callLine } of branchFacts(log).beforeCall) {
      report(
        log.placeOf(position, 'message.toolCallId'),
        `the result of '${log.texts.get(log.resultId(position))}' stands before its call on line ${callLine}`,
      );
    }
  },
};
