import { shapeCheck } from './check/shape.ts';
import type { Rule } from './rule.ts';

export const unknownBlock: Rule = {
  id: 'unknown-block',
  level: 'warning',
  group: 'shape',
  summary: 'a content block has a type that no known agent writes',
  why: 'Providers reject unknown blocks, so the next request may fail.',
  arises: 'A newer agent or a plugin wrote it.',
  advice: 'Nothing to fix; every command passes it through unchanged.',
  fixable: false,
  example: '{"type":"message",…,"content":[{"type":"hologram"}]}',
  looksAt: 'shape',
  object: shapeCheck('unknown-block'),
};
