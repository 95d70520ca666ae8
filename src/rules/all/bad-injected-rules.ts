import type { Rule } from '../rule.ts';
import { shapeCheck } from '../shape.ts';

export const badInjectedRules: Rule = {
  id: 'bad-injected-rules',
  level: 'error',
  group: 'shape',
  summary: 'the injectedRules of a ttsr_injection are not a list',
  why: 'omp goes through the list and throws an error, so the session does not open.',
  arises: 'A script or a plugin wrote the entry.',
  mend: "'sessionctl repair' makes one name a list of one, and anything else an empty list.",
  fixable: true,
  example: '{"type":"ttsr_injection",…,"injectedRules":"no-force-push"}',
  looksAt: 'shape',
  object: shapeCheck('bad-injected-rules'),
};
