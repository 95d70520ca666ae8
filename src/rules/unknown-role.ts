import { shapeRule } from './rule.ts';

export const unknownRole = shapeRule('unknown-role', 'warning', 'shape', {
  summary: 'a message has a role that no known agent writes',
  why: 'Agents pass it on or drop it, each in its own way.',
  arises: 'A newer agent or a plugin wrote it.',
  advice: 'Nothing to fix; every command passes it through unchanged.',
  example: '{"type":"message",…,"message":{"role":"narrator","content":"Meanwhile"}}',
});
