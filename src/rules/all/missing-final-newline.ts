import { placeOfLine, type Rule } from '../rule.ts';

export const missingFinalNewline: Rule = {
  id: 'missing-final-newline',
  level: 'error',
  group: 'bytes',
  summary: 'the last line is whole but not ended by a newline',
  why: 'The next append fuses two entries into one line, which agents then skip: both are lost to them.',
  arises: 'An editor, a script or a crash left the last newline out.',
  mend: "'sessionctl repair' adds the newline.",
  fixable: true,
  example: '{"type":"message","id":"b",…}   (end of the file)',
  line: ({ line, damage, objects }, _log, report) => {
    if (!line.terminated && damage === undefined && objects > 0)
      report(placeOfLine(line), 'the last line has no newline; the next append would fuse with it');
  },
};
