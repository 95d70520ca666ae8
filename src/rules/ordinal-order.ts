import { counted } from '../util/words.ts';
import { placeOfRecord } from './check/checked-record.ts';
import { defineRule } from './rule.ts';

export const ordinalOrder = defineRule('ordinal-order', 'warning', 'shape', {
  summary: 'the ordinals of the records skip, repeat or go backwards',
  why: 'A gap is the only trace of a record that was lost; some programs that show the session stop at a repeated number.',
  arises: 'A line was lost or moved, two processes wrote at once, or the agent counted wrong when it resumed.',
  advice: 'Look for what is missing in a backup. Do not renumber: forks of the session name its ordinals.',
  example: '{…,"ordinal":4,…}\n{…,"ordinal":6,…}',
  record: (record, log, report) => {
    const { ordinal } = record.facts;
    const { lastOrdinal: last, lastOrdinalAt: at } = log;
    // After one wrong ordinal, the others are in order again.
    if (typeof ordinal !== 'number' || last === undefined || ordinal - log.size === log.ordinalShift) return;
    if (ordinal <= last) {
      const words = ordinal === last ? `ordinal ${ordinal} again` : `ordinal ${ordinal} comes after ${last}`;
      report(placeOfRecord(record), `${words}; the record before it is on line ${log.lineOf(at)}`);
      return;
    }
    // Records without an ordinal and lines without a record are other findings.
    const lines = log.isDocument ? 0 : record.line - log.lineOf(at);
    const between = Math.max(log.size - at, lines) - 1;
    const lost = ordinal - last - 1 - between;
    if (lost > 0)
      report(placeOfRecord(record), `ordinal ${ordinal} comes after ${last}: ${counted(lost, 'record')} missing`);
  },
});
