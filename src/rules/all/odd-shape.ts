import type { Rule } from '../rule.ts';
import { shapeCheck } from '../shape.ts';

export const oddShape: Rule = {
  id: 'odd-shape',
  level: 'warning',
  group: 'shape',
  summary: 'something else in an entry is not as the agents write it',
  why: 'Agents cope, but a tool that trusts the shape may not.',
  arises: 'An older or newer agent, a plugin or a script wrote it.',
  mend: 'Look at the path that the finding names; nothing is lost as long as agents cope.',
  fixable: false,
  example: '{"type":"compaction",…,"tokensBefore":"many"}',
  looksAt: 'shape',
  object: shapeCheck('odd-shape'),
};
