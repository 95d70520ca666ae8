import { counted } from '../util/words.ts';
import { branchFacts } from './check/walk.ts';
import { settleTools } from './fix/settle.ts';
import type { Rule } from './rule.ts';

export const unansweredCall: Rule = {
  id: 'unanswered-call',
  level: 'warning',
  group: 'tools',
  summary: 'a tool call has no result, and the conversation continued',
  why: 'Providers reject a request with such a call; agents make up a result or drop the call, each in its own way.',
  arises: 'The agent was stopped while the tool ran, or its result was lost.',
  advice: "'sessionctl repair --settle-tools' inserts a result that says it was never recorded.",
  fixable: false,
  example: '{…"role":"assistant","content":[{"type":"toolCall","id":"t1",…}]…}\n{…"role":"user","content":"go on"…}',
  end: (log, report) => {
    for (const { call, owner, line, branches } of branchFacts(log).unanswered) {
      const where =
        branches > 1
          ? `; line ${line} continues without it, on ${counted(branches, 'branch', 'branches')} in all`
          : `; line ${line} continues without it`;
      report(
        log.placeOf(owner, `message.content[${log.calls.block(call)}]`),
        `call '${log.callIds.text(log.calls.id(call))}' has no result${where}`,
      );
    }
  },
  settle: settleTools,
};
