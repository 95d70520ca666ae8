import { isDeepStrictEqual } from 'node:util';
import { placeOfRecord } from './check/checked-record.ts';
import { dropRecord } from './fix/record-fixes.ts';
import { defineRule } from './rule.ts';

export const duplicateRecord = defineRule('duplicate-record', 'warning', 'tree', {
  summary: 'a record says the same as the one before it',
  why: 'The agent sends both: the model sees the message twice, and every later request pays for it.',
  arises: 'Two processes wrote the same session, or a writer tried again after an error.',
  advice: "Harmless for most sessions; 'sessionctl repair --only duplicate-record' moves the second one to quarantine.",
  example:
    '{…,"type":"response_item","payload":{…,"role":"user",…"text":"What is in this folder?"}]}}\n{…,"type":"response_item","payload":{…,"role":"user",…"text":"What is in this folder?"}]}}',
  record: (record, log, report) => {
    const { content } = record.facts;
    if (!content || !log.lastContent || !isDeepStrictEqual(content, log.lastContent)) return;
    report(placeOfRecord(record), `the same as the record on line ${log.lineOf(log.size - 1)}`);
  },
  fix: { records: dropRecord },
});
