import type { Rule } from '../rule.ts';
import { shapeCheck } from '../shape.ts';

export const missingField: Rule = {
  id: 'missing-field',
  level: 'error',
  group: 'shape',
  summary: 'an entry lacks its type, id, parentId, message or role',
  why: 'Agents drop the entry or throw on it, and what hangs from it is lost.',
  arises: 'A script or a plugin wrote the entry, or a version 1 entry stands in a newer file.',
  mend: "'sessionctl repair' mints an id and finds a parent where the entry is otherwise usable, and moves it to the quarantine where not.",
  fixable: true,
  example: '{"type":"message","id":"a","timestamp":"…","message":{"role":"user","content":"hi"}}',
  looksAt: 'shape',
  object: shapeCheck('missing-field'),
};
