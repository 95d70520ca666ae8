import { splitDamagedLine } from './fix/split-damaged-line.ts';
import { placeOfLine, type Rule } from './rule.ts';

export const invalidUtf8: Rule = {
  id: 'invalid-utf8',
  level: 'error',
  group: 'bytes',
  summary: 'a line has bytes that are not valid UTF-8',
  why: 'Readers substitute replacement characters, and the next rewrite of the file makes the loss permanent.',
  arises: 'A write was cut in the middle of a character, or a tool wrote its output in another encoding.',
  advice: "'sessionctl repair' replaces each invalid sequence with U+FFFD and keeps the old line in quarantine.",
  fixable: true,
  example: '{"type":"message","id":"b",…,"content":"caf\\xe9"}',
  line: ({ line, damage }, _log, report) => {
    if (damage === 'invalid-utf8')
      report(placeOfLine(line), `byte ${firstBroken(line.raw)} of the line is not valid UTF-8`);
  },
  fix: { line: splitDamagedLine },
};

/** Counted from 1, as editors do. */
function firstBroken(raw: string): number {
  const bytes = Buffer.from(raw, 'latin1');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let low = 0;
  let high = bytes.length;
  // The longest prefix that decodes; a character that is merely cut off at its end does not count against it.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    try {
      decoder.decode(bytes.subarray(0, middle), { stream: true });
      low = middle;
    } catch {
      high = middle - 1;
    }
    // A fatal decoder keeps nothing after an error, and this empties it after a success.
    try {
      decoder.decode();
    } catch {}
  }
  return low + 1;
}
