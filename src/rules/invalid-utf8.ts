import { damageRule } from './rule.ts';

export const invalidUtf8 = damageRule('invalid-utf8', {
  summary: 'a line has bytes that are not valid UTF-8',
  why: 'Readers substitute replacement characters, and the next rewrite of the file makes the loss permanent.',
  arises: 'A write was cut in the middle of a character, or a tool wrote its output in another encoding.',
  advice: "'sessionctl repair' replaces each invalid sequence with U+FFFD and keeps the old line in quarantine.",
  example: '{"type":"message","id":"a1b2c3d4",…"text":"caf\\xe9"…}',
  message: ({ line }) => `byte ${firstBroken(line.raw)} of the line is not valid UTF-8`,
});

/** Counted from 1. */
function firstBroken(raw: string): number {
  const bytes = Buffer.from(raw, 'latin1');
  let low = 0;
  let high = bytes.length;
  // The longest prefix that decodes; a character cut off at its end is allowed.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, middle), { stream: true });
      low = middle;
    } catch {
      high = middle - 1;
    }
  }
  return low + 1;
}
