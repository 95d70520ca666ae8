import { counted } from '../util/words.ts';
import { branchFacts } from './check/branch-facts.ts';
import { openCalls } from './check/record-paths.ts';
import { answerCall } from './fix/record-fixes.ts';
import { settleTools } from './fix/settle.ts';
import { defineRule } from './rule.ts';

export const unansweredCall = defineRule('unanswered-call', 'warning', 'tools', {
  summary: 'a tool call has no result, and the conversation continued',
  why: 'Providers reject a request with such a call; agents make up a result or drop the call, each in its own way.',
  arises: 'The agent was stopped while the tool ran, or its result was lost.',
  advice:
    "'sessionctl repair --settle-tools' inserts a result that says it was never recorded; in a log of Claude Code 'sessionctl repair' does so unasked.",
  example:
    '{"type":"message",…,"message":{"role":"assistant","content":[{"type":"toolCall","id":"toolu_01",…}],…}}\n{"type":"message",…,"message":{"role":"user","content":[{"type":"text","text":"Go on."}],…}}',
  end: (log, report) => {
    const { unanswered } = branchFacts(log);
    for (const [call, { owner, line, branches }] of [...unanswered].sort(([a], [b]) => a - b)) {
      const inAll = branches > 1 ? `, on ${counted(branches, 'branch', 'branches')} in all` : '';
      const message = `call '${log.callIds.text(log.calls.id(call))}' has no result; line ${line} continues without it${inAll}`;
      report(log.placeOf(owner, `message.content[${log.calls.block(call)}]`), message);
    }
  },
  recordsEnd: (log, report) => {
    for (const { call, use, continues, continuesInView } of openCalls(log)) {
      const words = continues
        ? `, and the conversation goes on${continuesInView ? '' : ', but not where an agent resumes'}`
        : '';
      const message = `call '${log.callIds.text(call)}' has no result${words}`;
      report(log.placeOf(use.position, use.path), message, continuesInView ? undefined : 'warning', continues);
    }
  },
  settle: settleTools,
  fix: { records: answerCall },
});
