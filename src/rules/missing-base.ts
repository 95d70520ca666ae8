import { defineRule } from './rule.ts';

export const missingBase = defineRule('missing-base', 'error', 'references', {
  summary: 'the log continues another one that is not beside it or is too short',
  why: 'The agent refuses to resume the session, because all that was said before the fork is in the other file.',
  arises: 'The other log was deleted, moved, or made shorter after the fork was made.',
  advice:
    'Restore the other log from a backup, beside this one or in the folder of its day. No command can rebuild it.',
  example: '{…,"type":"session_meta","payload":{…,"history_base":{"thread_id":"0a1b2c3d-…",…,"end_byte_offset":851}}}',
});
