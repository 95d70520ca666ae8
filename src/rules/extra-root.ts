import type { Rule } from './rule.ts';

export const extraRoot: Rule = {
  id: 'extra-root',
  level: 'off',
  group: 'tree',
  summary: 'the file has more than one root',
  why: 'A fact, not a fault: going back before the first message creates a new root.',
  arises: 'The user started over from the beginning.',
  advice: 'Nothing to fix.',
  fixable: false,
  example: '{"type":"message","id":"a","parentId":null,…}\n{"type":"message","id":"b","parentId":null,…}',
  object: (object, log, report) => {
    if (object.kind !== 'entry' || object.value['parentId'] !== null) return;
    if (log.roots > 0)
      report({ line: object.line.number, offset: object.line.offset, entryId: object.id }, 'another root');
  },
};
