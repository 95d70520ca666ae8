import { editsOf } from './fix/repair-state.ts';
import { defineRule, placeOfLine } from './rule.ts';

export const missingFinalNewline = defineRule('missing-final-newline', 'error', 'bytes', {
  summary: 'the last line is complete but has no newline at its end',
  why: 'The next entry lands on the same line, which agents then skip: both entries are lost to them.',
  arises: 'An editor, a script or a crash left out the last newline.',
  advice: "'sessionctl repair' adds the newline.",
  example: '{"type":"message","id":"d4e5f6a7",…}\n\\ No newline at end of file',
  line: ({ line, damage, objects }, report) => {
    if (!line.terminated && damage === undefined && objects > 0)
      report(placeOfLine(line), 'the last line has no newline; the next entry would land on the same line');
  },
  isFixedByWriter: true,
  fix: {
    end: (repair) => {
      const { unterminated } = repair.index;
      if (unterminated !== undefined && repair.canFix(unterminated, 'missing-final-newline'))
        editsOf(unterminated).addNewline = true;
    },
  },
});
