import { shapeCheck } from './check/shape.ts';
import type { Rule } from './rule.ts';

export const unknownRole: Rule = {
  id: 'unknown-role',
  level: 'warning',
  group: 'shape',
  summary: 'a message has a role that no known agent writes',
  why: 'Agents pass it on or drop it, each in its own way.',
  arises: 'A newer agent or a plugin wrote it.',
  advice: 'Nothing to fix; every command passes it through unchanged.',
  fixable: false,
  example: '{"type":"message",…,"message":{"role":"narrator","content":"…"}}',
  looksAt: 'shape',
  object: shapeCheck('unknown-role'),
};
