import { bypassRecord } from './fix/record-fixes.ts';
import { shapeRule } from './rule.ts';

export const unknownEntryType = shapeRule('unknown-entry-type', 'warning', 'shape', {
  summary: 'an entry has a type that no known agent writes',
  why: 'Agents skip it; every command passes it through unchanged.',
  arises: 'A newer agent or a plugin wrote it.',
  advice:
    "Nothing to fix, unless others hang from it: then 'sessionctl repair' attaches them to its parent. If you know the type, let us know.",
  recordsEnd: (log, report) => {
    const seen = new Set<number>();
    for (let position = 0; position < log.size; position++) {
      const parent = log.isInConversation(position) ? log.parentOf(position) : -1;
      if (parent < 0 || log.isInConversation(parent) || seen.has(parent)) continue;
      seen.add(parent);
      const message = `agents skip a record of this type, and line ${log.lineOf(position)} hangs from it`;
      report(log.placeOf(parent), message);
    }
  },
  example: '{"type":"telemetry","id":"b2c3d4e5",…}',
  fix: { parents: bypassRecord },
});
