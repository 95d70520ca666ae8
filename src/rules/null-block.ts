import { arrayElements, findMember, removeElements } from '../json/text.ts';
import { shapeCheck } from './check/shape.ts';
import type { Rule } from './rule.ts';

export const nullBlock: Rule = {
  id: 'null-block',
  level: 'error',
  group: 'shape',
  summary: 'a block in the content of a message is null',
  why: 'omp throws an error on it, so the session does not open.',
  arises: 'A script or a plugin removed a block and left a null in its place.',
  advice: "'sessionctl repair' removes the null.",
  fixable: true,
  example: '{"type":"message",…,"message":{"role":"user","content":[null,{"type":"text","text":"hi"}]}}',
  looksAt: 'shape',
  object: shapeCheck('null-block'),
  fix: {
    object: (repair, { unit, rule }) =>
      repair.editInside(unit, {
        rule,
        words: 'removed null blocks from the content',
        splices: (text, open) => {
          const content = findMember(text, findMember(text, open, 'message')?.valueStart ?? open, 'content');
          if (!content) return [];
          const nulls = [...arrayElements(text, content.valueStart)].map(
            ({ start, end }) => text.slice(start, end) === 'null',
          );
          return removeElements(text, content.valueStart, (index) => nulls[index] === true);
        },
      }),
  },
};
