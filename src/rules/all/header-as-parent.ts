import type { Rule } from '../rule.ts';

export const headerAsParent: Rule = {
  id: 'header-as-parent',
  level: 'warning',
  group: 'tree',
  summary: "an entry's parent is the header",
  why: 'Agents take it for a root, for the header is no entry.',
  arises: 'OpenClaw and other early writers hang the first entry from the header.',
  mend: "Harmless; 'sessionctl migrate' makes it null in a version 1 file.",
  fixable: false,
  example: '{"type":"session","id":"s1",…}\n{"type":"message","id":"a","parentId":"s1",…}',
  end: (log, report) => {
    for (const position of log.headerChildren)
      report(log.placeOf(position, 'parentId'), 'the parent is the header; agents take the entry for a root');
  },
};
