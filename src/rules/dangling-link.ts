import { placeOfRecord } from './check/checked-record.ts';
import { defineRule } from './rule.ts';

export const danglingLink = defineRule('dangling-link', 'warning', 'references', {
  summary: 'a record names a cause, a group, a call or a message that no earlier record has',
  why: 'It is not known any more what led to the record: who asked for it, or whether it was allowed.',
  arises: 'The other record was lost, or the program that wrote the log has mixed up its ids.',
  advice: 'Look for what is missing in a backup; no command can rebuild it.',
  example: '{"id":"e6",…,"type":"tool.started","causationId":"e99",…}',
  record: (record, log, report) => {
    const { id, names = [], links = [], view } = record.facts;
    for (const { path, name } of links) {
      if (name === id || names.includes(name) || log.hasName(name)) continue;
      report(placeOfRecord(record, path), `'${path}' names '${name}', which no earlier record has`);
    }
    const { path, id: from } = view?.takesFrom ?? {};
    if (from !== undefined && !log.view.has(from))
      report(placeOfRecord(record, path), `'${path}' names '${from}', which is no message in view`);
  },
});
