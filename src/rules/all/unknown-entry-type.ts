import type { Rule } from '../rule.ts';
import { shapeCheck } from '../shape.ts';

export const unknownEntryType: Rule = {
  id: 'unknown-entry-type',
  level: 'warning',
  group: 'shape',
  summary: 'an entry has a type that no known agent writes',
  why: 'Agents pass over it; every command hands it on untouched.',
  arises: 'A newer agent or a plugin wrote it.',
  mend: 'Nothing to mend; if you know the type, tell us.',
  fixable: false,
  example: '{"type":"telemetry","id":"a","parentId":null,"timestamp":"…"}',
  looksAt: 'shape',
  object: shapeCheck('unknown-entry-type'),
};
