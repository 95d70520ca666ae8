import { UNNAMED } from '../formats/format.ts';
import { defineRule, WHOLE_FILE } from './rule.ts';

export const noConversation = defineRule('no-conversation', 'error', 'content', {
  summary: 'the file has no record of a conversation, or none in view',
  why: 'The agent does not find the session, although the file is there.',
  arises:
    'The session ended before the first prompt, all that is left of it are notes or the work of subagents, or a record took all messages back.',
  advice: 'No command fixes it; there is nothing to resume.',
  example: '{"type":"file-history-snapshot",…}\n{"parentUuid":null,"isSidechain":true,"type":"user",…}',
  recordsEnd: (log, report) => {
    const { emptied } = log.view;
    if (emptied) {
      const message = 'after this record no message of the conversation is in view';
      report(log.placeOf(emptied.position), message, emptied.isLoss ? 'error' : undefined);
      return;
    }
    // A log with only a subagent's conversation is that subagent's own log.
    if ([...log.conversations.keys()].some((name) => name !== UNNAMED)) return;
    report(WHOLE_FILE, 'no record of the conversation is in this file');
  },
});
