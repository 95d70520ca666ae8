import { grouped } from '../util/words.ts';
import { defineRule, placeOfLine } from './rule.ts';

export const oversizeLine = defineRule('oversize-line', 'error', 'bytes', {
  summary: 'a line is longer than the limit (256 MiB, or --max-line-bytes)',
  why: 'No agent can hold such a line as one string: it hangs, runs out of memory or cannot open the session. The line is not checked, but the lines after it are.',
  arises: 'An enormous tool result or image was written to the log.',
  advice:
    'No command fixes it; commands that rewrite the log pass the line through unchanged. Raise --max-line-bytes to check it.',
  example: '{"type":"message","id":"b2c3d4e5",…"text":"word word word …"…}',
  line: ({ line, damage }, report) => {
    if (damage !== 'oversize-line') return;
    const message = `the line has ${grouped(line.oversize)} bytes, more than the limit; it was not checked`;
    report(placeOfLine(line), message);
  },
});
