import { shapeCheck } from './check/shape.ts';
import type { Rule } from './rule.ts';

export const unknownEntryType: Rule = {
  id: 'unknown-entry-type',
  level: 'warning',
  group: 'shape',
  summary: 'an entry has a type that no known agent writes',
  why: 'Agents skip it; every command passes it through unchanged.',
  arises: 'A newer agent or a plugin wrote it.',
  advice: 'Nothing to fix; if you know the type, let us know.',
  fixable: false,
  example: '{"type":"telemetry","id":"a","parentId":null,"timestamp":"…"}',
  looksAt: 'shape',
  object: shapeCheck('unknown-entry-type'),
};
