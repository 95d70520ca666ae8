import { UNNAMED } from '../formats/format.ts';
import { defineRule, WHOLE_FILE } from './rule.ts';

export const noConversation = defineRule('no-conversation', 'error', 'content', {
  summary: 'the file has no record of a conversation',
  why: 'The agent does not find the session, although the file is there.',
  arises: 'The session ended before the first prompt, or all that is left of it are notes or the work of subagents.',
  advice: 'No command fixes it; there is nothing to resume.',
  example: '{"type":"file-history-snapshot",…}\n{"parentUuid":null,"isSidechain":true,"type":"user",…}',
  recordsEnd: (log, report) => {
    // A log with only a subagent's conversation is that subagent's own log.
    if ([...log.conversations.keys()].some((name) => name !== UNNAMED)) return;
    report(WHOLE_FILE, 'no record of the conversation is in this file');
  },
});
