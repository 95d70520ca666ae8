import { setOrdinal } from './fix/record-fixes.ts';
import { defineRule } from './rule.ts';

export const missingOrdinal = defineRule('missing-ordinal', 'error', 'shape', {
  summary: 'a record has no ordinal, in a log that numbers its records',
  why: 'The agent goes on from the number of the last record: without one it refuses to resume the session.',
  arises: 'A script or another version wrote the record.',
  advice: "'sessionctl repair' numbers the last record; on the others it is harmless.",
  example: '{…,"ordinal":3,"type":"response_item",…}\n{"timestamp":"2026-03-02T09:00:04.000Z","type":"event_msg",…}',
  recordsEnd: (log, report) => {
    for (const position of log.unnumbered) {
      const isLast = position === log.size - 1;
      const message = isLast ? 'the last record has no ordinal' : 'the record has no ordinal';
      report(log.placeOf(position), message, isLast ? undefined : 'warning');
    }
  },
  fix: { records: setOrdinal },
});
