import { arrayElements, findMember, removeElements } from '../json/text.ts';
import { insideFix, shapeRule } from './rule.ts';

export const nullBlock = shapeRule('null-block', 'error', 'shape', {
  summary: 'a block in the content of a message is null',
  why: 'omp throws an error on it, so the session does not open.',
  arises: 'A script or a plugin removed a block and left a null in its place.',
  advice: "'sessionctl repair' removes the null.",
  example: '{"type":"message",…,"message":{"role":"user","content":[null,{"type":"text",…}],…}}',
  fix: insideFix({
    words: 'removed null blocks from the content',
    splices: (text, open) => {
      // A custom_message has its content itself.
      const content = findMember(text, findMember(text, open, 'message')?.valueStart ?? open, 'content');
      if (!content) return [];
      const nulls = [...arrayElements(text, content.valueStart)].map(
        ({ start, end }) => text.slice(start, end) === 'null',
      );
      return removeElements(text, content.valueStart, (index) => nulls[index] === true);
    },
  }),
});
