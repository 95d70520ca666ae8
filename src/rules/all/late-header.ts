import { placeOf, type Rule } from '../rule.ts';

export const lateHeader: Rule = {
  id: 'late-header',
  level: 'error',
  group: 'header',
  summary: 'the header comes after an entry',
  why: 'Agents look for it on the first line: they do not recognize the file as a session, and some overwrite it.',
  arises: 'Files were concatenated in the wrong order, or a writer appended entries before it wrote the header.',
  mend: "'sessionctl repair' moves it to the front.",
  fixable: true,
  example: '{"type":"message","id":"a",…}\n{"type":"session",…}',
  looksAt: 'values',
  object: (object, log, report) => {
    if (object.kind === 'header' && log.headers === 0 && log.firstEntryLine > 0) {
      report(placeOf(object), `the header comes after the entry on line ${log.firstEntryLine}`);
    }
  },
};
