import { branchFacts } from './check/branch-facts.ts';
import { defineRule } from './rule.ts';

export const resultBeforeCall = defineRule('result-before-call', 'warning', 'tools', {
  summary: 'a tool result comes before its call on the same path',
  why: 'Providers reject a request in which a result comes before its call.',
  arises: 'Lines were written or merged in the wrong order.',
  advice: 'No command fixes it.',
  example:
    '{"type":"message",…,"message":{"role":"toolResult","toolCallId":"toolu_01",…}}\n{"type":"message",…,"message":{"role":"assistant","content":[{"type":"toolCall","id":"toolu_01",…}],…}}',
  end: (log, report) => {
    for (const [position, callLine] of branchFacts(log).beforeCall) {
      const message = `the result of '${log.resultId(position)}' comes before its call on line ${callLine}`;
      report(log.placeOf(position, 'message.toolCallId'), message);
    }
  },
  recordsEnd: (log, report) => {
    for (const [call, [result]] of log.results) {
      const position = log.calls.of(call)[0]?.position;
      if (!result || position === undefined || position < result.position) continue;
      const message = `the result of '${log.callIds.text(call)}' comes before its call on line ${log.lineOf(position)}`;
      report(log.placeOf(result.position, result.path), message);
    }
  },
});
