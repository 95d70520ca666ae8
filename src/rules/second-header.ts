import { placeOfRecord } from './check/checked-record.ts';
import { dropRecord } from './fix/record-fixes.ts';
import { defineRule, placeOf } from './rule.ts';

export const secondHeader = defineRule('second-header', 'error', 'header', {
  summary: 'the file has more than one header',
  why: 'Agents read it as an entry without an id or skip it; a migration counts it, and every reference by number after it is off by one.',
  arises: 'Two sessions were concatenated, or an agent started a new session in the same file.',
  advice: "'sessionctl repair' moves it to quarantine.",
  example: '{"type":"session","version":3,"id":"7d9c2f5e-…",…}\n…\n{"type":"session","version":3,"id":"another",…}',
  looksAt: 'values',
  object: (object, log, report) => {
    if (object.kind === 'header' && log.headers > 0)
      report(placeOf(object), `a second header; the first is on line ${log.headerLine}`);
  },
  record: (record, log, report) => {
    if (record.facts.isHeader && log.header)
      report(placeOfRecord(record), `a second header; the first is on line ${log.headerLine}`);
  },
  fix: {
    object: (repair, { unit, rule }) => repair.drop(unit, rule, 'moved another header to quarantine'),
    records: dropRecord,
  },
});
