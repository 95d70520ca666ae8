import { BYTE_ORDER_MARK } from '../entries/damage.ts';
import { defineRule, placeOfLine } from './rule.ts';

export const byteOrderMark = defineRule('byte-order-mark', 'error', 'bytes', {
  summary: 'the file starts with a byte order mark',
  why: 'JSON has no such mark: JSON.parse refuses the line, and a program that reads the log line by line loses the header. Some agents strip the mark first; not every reader does.',
  arises: 'An editor or a shell on Windows saved the file as "UTF-8 with BOM".',
  advice: "'sessionctl repair' removes the three bytes.",
  example: '\\xef\\xbb\\xbf{"type":"session",…}',
  line: ({ line }, report) => {
    if (line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK))
      report(placeOfLine(line), 'the file starts with a byte order mark');
  },
  fix: { line: ({ raw }) => [{ kind: 'mark', start: 0, end: raw.length }] },
});
