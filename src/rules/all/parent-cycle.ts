import { counted } from '../../base/words.ts';
import type { Rule } from '../rule.ts';

export const parentCycle: Rule = {
  id: 'parent-cycle',
  level: 'error',
  group: 'tree',
  summary: 'entries form a cycle of parents, or one is its own parent',
  why: 'Agents that follow the parents never reach a root: they hang or run out of memory.',
  arises: 'A script or a faulty migration changed ids or parents.',
  mend: "'sessionctl repair' breaks the cycle at its earliest entry.",
  fixable: true,
  example: '{"type":"message","id":"a","parentId":"b",…}\n{"type":"message","id":"b","parentId":"a",…}',
  end: (log, report) => {
    for (const { position, length } of log.cycles) {
      const message = length === 1 ? 'the entry is its own parent' : `the parents of ${counted(length, 'entry', 'entries')} form a cycle`;
      report(log.placeOf(position, 'parentId'), message);
    }
  },
};
