import { removeBlock } from './fix/record-fixes.ts';
import { shapeRule } from './rule.ts';

export const unknownBlock = shapeRule('unknown-block', 'warning', 'shape', {
  summary: 'a content block has a type that no known agent writes',
  why: 'Providers reject unknown blocks, so the next request may fail.',
  arises: 'A newer agent or a plugin wrote it.',
  advice:
    "In a log of pi or omp every command passes it through unchanged; in one of Claude Code or Codex 'sessionctl repair' removes it and keeps the old line in quarantine.",
  example: '{"type":"message",…,"content":[{"type":"hologram"}],…}}',
  fix: { records: removeBlock },
});
