import { defineRule, placeOfLine } from './rule.ts';

export const blankLine = defineRule('blank-line', 'warning', 'bytes', {
  summary: 'a line has only whitespace',
  why: 'Agents skip it, but strict JSONL readers stop at it.',
  arises: 'A hand edit, or a script that ends its output with two newlines.',
  advice: "Harmless; 'sessionctl repair --only blank-line' removes it.",
  example: '{"type":"message","id":"a1b2c3d4",…}\n\n{"type":"message","id":"b2c3d4e5",…}',
  line: ({ line, damage, objects }, report) => {
    if (damage === undefined && objects === 0) report(placeOfLine(line), 'the line is blank');
  },
  removesLines: true,
  fix: { line: ({ raw }) => [{ kind: 'blank', start: 0, end: raw.length }] },
});
