import type { Rule } from '../rule.ts';
import { branchFacts } from '../walk.ts';

export const orphanResult: Rule = {
  id: 'orphan-result',
  level: 'warning',
  group: 'tools',
  summary: 'a tool result answers a call that is nowhere above it',
  why: 'Providers refuse a request with such a result, so the session cannot go on until the agent drops it.',
  arises: 'The call was lost or torn, or the result hangs from the wrong entry.',
  mend: 'Nothing is mended; mending the line that held the call may bring it back.',
  fixable: false,
  example: '{"type":"message","id":"b",…,"message":{"role":"toolResult","toolCallId":"t9",…}}',
  end: (log, report) => {
    for (const position of branchFacts(log).orphans) {
      report(log.placeOf(position, 'message.toolCallId'), `no call '${log.texts.get(log.resultId(position))}' stands above this result`);
    }
  },
};
