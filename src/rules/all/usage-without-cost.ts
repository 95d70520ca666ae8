import type { Rule } from '../rule.ts';
import { shapeCheck } from '../shape.ts';

export const usageWithoutCost: Rule = {
  id: 'usage-without-cost',
  level: 'error',
  group: 'shape',
  summary: 'the usage of an assistant message has no cost',
  why: 'omp adds up the costs of all messages and throws an error on the first usage without one, so the session does not open.',
  arises: 'A script, a plugin or an importer wrote the message.',
  mend: "'sessionctl repair' adds a cost of zero, which the report marks as assumed.",
  fixable: true,
  example: '{"type":"message",…,"message":{"role":"assistant",…,"usage":{"input":5,"output":2}}}',
  looksAt: 'shape',
  object: shapeCheck('usage-without-cost'),
};
