import { shapeRule } from './rule.ts';

export const unknownEntryType = shapeRule('unknown-entry-type', 'warning', 'shape', {
  summary: 'an entry has a type that no known agent writes',
  why: 'Agents skip it; every command passes it through unchanged.',
  arises: 'A newer agent or a plugin wrote it.',
  advice: 'Nothing to fix; if you know the type, let us know.',
  example: '{"type":"telemetry","id":"a","parentId":null,"timestamp":"…"}',
});
