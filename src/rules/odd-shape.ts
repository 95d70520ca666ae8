import { shapeRule } from './rule.ts';

export const oddShape = shapeRule('odd-shape', 'warning', 'shape', {
  summary: 'something else in an entry does not have the shape that agents write',
  why: 'Agents can handle it, but a tool that relies on the shape may not.',
  arises: 'An older or newer agent, a plugin or a script wrote it.',
  advice: 'Look at the path in the finding; nothing is lost as long as agents can handle it.',
  example: '{"type":"compaction",…,"tokensBefore":"many"}',
});
