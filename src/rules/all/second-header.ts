import { placeOf, type Rule } from '../rule.ts';

export const secondHeader: Rule = {
  id: 'second-header',
  level: 'error',
  group: 'header',
  summary: 'a further header stands in the file',
  why: 'Agents read it as an entry without an id or skip it; a migration counts it, and every reference by number behind it is off by one.',
  arises: 'Two sessions were concatenated, or an agent started anew in the same file.',
  mend: "'sessionctl repair' moves it to the quarantine.",
  fixable: true,
  example: '{"type":"session","version":3,"id":"s1",…}\n{"type":"session","version":3,"id":"s2",…}',
  looksAt: 'values',
  object: (object, log, report) => {
    if (object.kind === 'header' && log.headers > 0) report(placeOf(object), `a second header; the first is on line ${log.headerLine}`);
  },
};
