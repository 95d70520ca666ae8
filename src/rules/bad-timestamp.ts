import { fixRecordTime } from './fix/record-fixes.ts';
import { defineRule, placeOf } from './rule.ts';

export const badTimestamp = defineRule('bad-timestamp', 'warning', 'content', {
  summary: 'a timestamp is missing or not ISO 8601',
  why: 'Agents sort and show sessions by time; such an entry is shown with a wrong time or none.',
  arises: 'A script or a plugin wrote the entry, or the clock returned no time.',
  advice:
    "Nothing is lost; correct the timestamp by hand if the time matters. If an agent cannot do without it, 'sessionctl repair' takes the time of the record before it.",
  example: '{"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"yesterday",…}',
  looksAt: 'unscanned',
  object: (object, _log, report) => {
    if (object.kind === 'title' || object.time !== undefined) return;
    const { timestamp } = object.value;
    const found =
      timestamp === undefined ? 'the timestamp is missing' : `the timestamp is ${shown(timestamp)}, not ISO 8601`;
    report(placeOf(object, 'timestamp'), found);
  },
  recordsEnd: (log, report) => {
    for (let position = 0; position < log.size; position++) {
      if (!log.isInConversation(position) || !Number.isNaN(log.timeOf(position))) continue;
      // Agents use the time of the last record, or any time.
      const isDecisive = position === log.lastInConversation || log.timed === 0;
      report(log.placeOf(position), 'the timestamp is missing or not ISO 8601', isDecisive ? undefined : 'warning');
    }
  },
  fix: { records: fixRecordTime },
});

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 40 ? `${value.slice(0, 40)}...` : value}'`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
