import { type Rule, WHOLE_FILE } from '../rule.ts';

export const missingHeader: Rule = {
  id: 'missing-header',
  level: 'error',
  group: 'header',
  summary: 'no line of the file is a header',
  why: 'Agents take the file for no session: they do not list it, or start a new session over it and overwrite all of it.',
  arises: 'The first line was torn, or the file was made with tail or split.',
  mend: "'sessionctl repair' writes a header made from the first whole entry.",
  fixable: true,
  example: '{"type":"message","id":"a","parentId":null,…}   (as first line)',
  end: (log, report) => {
    if (log.headers === 0) report(WHOLE_FILE, log.lines === 0 ? 'the file is empty' : 'no line is a header (type "session")');
  },
};
