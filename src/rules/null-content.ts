import { findMember, setMember } from '../json/text.ts';
import { insideFix, shapeRule } from './rule.ts';

export const nullContent = shapeRule('null-content', 'error', 'shape', {
  summary: 'an assistant message has null or missing content',
  why: 'omp throws an error on it, so the session does not open; pi reads it as an empty list.',
  arises: 'The agent was stopped before the first block, or a script wrote the message.',
  advice: "'sessionctl repair' makes the content an empty list.",
  example: '{"type":"message",…,"message":{"role":"assistant","content":null,…}}',
  fix: insideFix({
    words: 'made the null content an empty list',
    splices: (text, open) => [setMember(text, findMember(text, open, 'message')?.valueStart ?? open, 'content', '[]')],
  }),
});
