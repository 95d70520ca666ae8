import { placeOf, type Rule } from '../rule.ts';

export const lateHeader: Rule = {
  id: 'late-header',
  level: 'error',
  group: 'header',
  summary: 'the header stands behind an entry',
  why: 'Agents look for it on the first line: they take the file for no session, and some overwrite it.',
  arises: 'Files were concatenated in the wrong order, or a writer appended before it had written the header.',
  mend: "'sessionctl repair' moves it to the front.",
  fixable: true,
  example: '{"type":"message","id":"a",…}\n{"type":"session",…}',
  looksAt: 'values',
  object: (object, log, report) => {
    if (object.kind === 'header' && log.headers === 0 && log.firstEntryLine > 0) {
      report(placeOf(object), `the header stands behind the entry of line ${log.firstEntryLine}`);
    }
  },
};
