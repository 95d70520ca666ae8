import { grouped } from '../util/words.ts';
import { placeOfLine, type Rule } from './rule.ts';

export const oversizeLine: Rule = {
  id: 'oversize-line',
  level: 'error',
  group: 'bytes',
  summary: 'a line is longer than the limit (256 MiB, or --max-line-bytes)',
  why: 'No agent can hold such a line as one string: it hangs, runs out of memory or cannot open the session. The line is not checked, but the lines after it are.',
  arises: 'An enormous tool result or image was written to the log.',
  advice:
    'No command fixes it; commands that rewrite the log pass the line through unchanged. Raise --max-line-bytes to check it.',
  fixable: false,
  example: '{"type":"message",…}   (600 MB on one line)',
  line: ({ line, damage }, _log, report) => {
    if (damage === 'oversize-line')
      report(
        placeOfLine(line),
        `the line has ${grouped(line.oversize)} bytes, more than the limit; it was not checked`,
      );
  },
};
