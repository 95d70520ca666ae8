import { findMember, setMember } from '../json/text.ts';
import { insideFix, shapeRule } from './rule.ts';

const NO_COST = '{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}';

export const usageWithoutCost = shapeRule('usage-without-cost', 'error', 'shape', {
  summary: 'the usage of an assistant message or of a model_usage entry has no cost',
  why: 'omp adds up the costs of all model calls and throws an error on the first usage without one, so the session does not open.',
  arises: 'A script, a plugin or an importer wrote the entry.',
  advice: "'sessionctl repair' adds a cost of zero, which the report marks as assumed.",
  example: '{"type":"message",…,"message":{"role":"assistant",…,"usage":{"input":1200,"output":80,…},…}}',
  fix: insideFix({
    words: 'added a cost of zero to the usage',
    assumed: true,
    splices: (text, open) => {
      const usage = findMember(text, findMember(text, open, 'message')?.valueStart ?? open, 'usage');
      return usage ? [setMember(text, usage.valueStart, 'cost', NO_COST)] : [];
    },
  }),
});
