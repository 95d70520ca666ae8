import type { Rule } from './rule.ts';

export const forwardParent: Rule = {
  id: 'forward-parent',
  level: 'warning',
  group: 'tree',
  summary: "an entry's parent comes later in the file",
  why: 'Agents read the whole file first, so they can handle it; readers that stream cannot.',
  arises: 'Lines were sorted or merged.',
  advice: 'Harmless for agents; repair does not change it.',
  fixable: false,
  example: '{"type":"message","id":"b","parentId":"a",…}\n{"type":"message","id":"a","parentId":null,…}',
  end: (log, report) => {
    for (const { position, parent, parentId } of log.forwardParents) {
      report(log.placeOf(position, 'parentId'), `parent '${parentId}' comes later, on line ${log.lineOf(parent)}`);
    }
  },
};
