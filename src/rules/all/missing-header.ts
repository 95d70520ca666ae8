import { type Rule, WHOLE_FILE } from '../rule.ts';

export const missingHeader: Rule = {
  id: 'missing-header',
  level: 'error',
  group: 'header',
  summary: 'no line of the file is a header',
  why: 'Agents do not recognize the file as a session: they do not list it, or they start a new session in its place and overwrite all of it.',
  arises: 'The first line was truncated, or the file was made with tail or split.',
  mend: "'sessionctl repair' writes a header made from the first complete entry.",
  fixable: true,
  example: '{"type":"message","id":"a","parentId":null,…}   (as the first line)',
  end: (log, report) => {
    if (log.headers === 0) report(WHOLE_FILE, log.lines === 0 ? 'the file is empty' : 'no line is a header (type "session")');
  },
};
