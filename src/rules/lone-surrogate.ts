import { placeOfRecord } from './check/record-log.ts';
import { defineRule, placeOf } from './rule.ts';

const LONE =
  /(?<!\\)(?:\\\\)*\\u(?:[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})|[dD][c-fC-F][0-9a-fA-F]{2})/;
const PAIR = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/g;

export const loneSurrogate = defineRule('lone-surrogate', 'warning', 'content', {
  summary: 'a string contains half of a surrogate pair, as an escape',
  why: 'jq and other strict readers reject the line or the whole file; providers reject the text.',
  arises: 'A string was cut in the middle of an emoji before it was stored.',
  advice: 'Agents lose nothing; replace the escape by hand before you use jq.',
  example: '{"type":"message",…,"content":"so far \\\\ud83d"}',
  looksAt: 'unscanned',
  object: (object, _log, report) => {
    const half = halfIn(object.text);
    if (half !== undefined) report(placeOf(object), `half of a surrogate pair, ${half}; jq stops here`);
  },
  record: (record, _log, report) => {
    const half = halfIn(record.text);
    if (half === undefined) return;
    const severity = record.facts.isSpoken ? undefined : 'warning';
    report(placeOfRecord(record), `half of a surrogate pair, ${half}; strict readers skip the record`, severity);
  },
});

function halfIn(text: string): string | undefined {
  // Found at once in most lines, where the expressions would look at every character.
  if (!text.includes('\\u') || !['\\ud', '\\uD'].some((start) => text.includes(start))) return undefined;
  const lone = LONE.exec(text.replace(PAIR, ''));
  return lone ? `\\u${lone[0].slice(-4)}` : undefined;
}
