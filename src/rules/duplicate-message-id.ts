import type { RecordLog } from './check/record-log.ts';
import { renameMessage } from './fix/record-fixes.ts';
import { LOST, NO_MESSAGE } from './positions.ts';
import { defineRule } from './rule.ts';

/** Records of one message are never this far apart. */
const MAX_STEPS = 1_000;

export const duplicateMessageId = defineRule('duplicate-message-id', 'error', 'tree', {
  summary: 'an id of a message is used again in a later turn',
  why: 'Agents join the records of one message by its id: the turns between them are torn apart, and calls lose their results.',
  arises: 'A script, a proxy or a provider gave two answers the same id.',
  advice: "'sessionctl repair' gives the later message an id of its own.",
  example:
    '{…,"type":"assistant","message":{"id":"msg_b",…},"uuid":"b0000000-…",…}\n{…,"type":"user",…,"uuid":"c0000000-…",…}\n{…,"type":"assistant","message":{"id":"msg_b",…},"uuid":"d0000000-…",…}',
  recordsEnd: (log, report) => {
    const first = new Map<number, number>();
    for (let position = 0; position < log.size; position++) {
      const message = log.messageOf(position);
      if (message === NO_MESSAGE || log.isRepeated(position)) continue;
      const earlier = first.get(message);
      if (earlier === undefined) first.set(message, position);
      else if (!continues(log, position, message))
        report(log.placeOf(position), `the id of its message was already used on line ${log.lineOf(earlier)}`);
    }
  },
  fix: { records: renameMessage },
});

/** Whether it follows a record of the same message, with only results and notes of the agent in between. */
function continues(log: RecordLog, position: number, message: number): boolean {
  let at = log.parentOf(position);
  for (let steps = 0; at >= 0 && steps < MAX_STEPS; steps++, at = log.parentOf(at)) {
    const own = log.messageOf(at);
    if (own !== NO_MESSAGE) return own === message;
    if (log.isPrompt(at)) return false;
  }
  // A broken chain is another rule's finding.
  return at >= 0 || at === LOST;
}
