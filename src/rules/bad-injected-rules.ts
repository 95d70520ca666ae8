import { findMember, setMember } from '../json/text.ts';
import { insideFix, shapeRule } from './rule.ts';

export const badInjectedRules = shapeRule('bad-injected-rules', 'error', 'shape', {
  summary: 'the injectedRules of a ttsr_injection are not a list',
  why: 'omp iterates over the list and throws an error, so the session does not open.',
  arises: 'A script or a plugin wrote the entry.',
  advice: "'sessionctl repair' turns a single name into a list of one, and anything else into an empty list.",
  example: '{"type":"ttsr_injection",…,"injectedRules":"no-force-push"}',
  fix: insideFix({
    words: 'made injectedRules a list',
    splices: (text, open) => {
      const rules = findMember(text, open, 'injectedRules');
      const value = rules ? text.slice(rules.valueStart, rules.valueEnd) : '';
      return [setMember(text, open, 'injectedRules', value.startsWith('"') ? `[${value}]` : '[]')];
    },
  }),
});
