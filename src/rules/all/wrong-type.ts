import type { Rule } from '../rule.ts';
import { shapeCheck } from '../shape.ts';

export const wrongType: Rule = {
  id: 'wrong-type',
  level: 'error',
  group: 'shape',
  summary: "an entry's type, id, parentId, message or role is of the wrong kind",
  why: 'Agents drop the entry or throw on it, and what hangs from it is lost.',
  arises: 'A script or a plugin wrote the entry.',
  mend: "'sessionctl repair' mints an id and finds a parent where the entry is otherwise usable, and moves it to the quarantine where not.",
  fixable: true,
  example: '{"type":"message","id":7,"parentId":null,…}',
  looksAt: 'shape',
  object: shapeCheck('wrong-type'),
};
