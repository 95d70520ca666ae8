import type { Rule } from '../rule.ts';

export const forwardParent: Rule = {
  id: 'forward-parent',
  level: 'warning',
  group: 'tree',
  summary: "an entry's parent stands further down in the file",
  why: 'Agents read the whole file first and cope; readers that stream do not.',
  arises: 'Lines were sorted or merged.',
  mend: 'Harmless for the agents; nothing is mended.',
  fixable: false,
  example: '{"type":"message","id":"b","parentId":"a",…}\n{"type":"message","id":"a","parentId":null,…}',
  end: (log, report) => {
    for (const { position, parent, parentId } of log.forwardParents) {
      report(log.placeOf(position, 'parentId'), `parent '${parentId}' comes later, on line ${log.lineOf(parent)}`);
    }
  },
};
