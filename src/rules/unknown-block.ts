import { removeBlock } from './fix/record-fixes.ts';
import { shapeRule } from './rule.ts';

export const unknownBlock = shapeRule('unknown-block', 'warning', 'shape', {
  summary: 'a content block has a type that no known agent writes',
  why: 'Providers reject unknown blocks, so the next request may fail.',
  arises: 'A newer agent or a plugin wrote it.',
  advice: 'Nothing to fix; every command passes it through unchanged.',
  example: '{"type":"message",…,"content":[{"type":"hologram"}]}',
  fix: { records: removeBlock },
});
