import { replaceSurrogates } from './fix/record-fixes.ts';
import { defineRule, placeOf } from './rule.ts';

const LONE =
  /(?<!\\)(?:\\\\)*\\u(?:[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})|[dD][c-fC-F][0-9a-fA-F]{2})/;
const PAIR = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/g;

export const loneSurrogate = defineRule('lone-surrogate', 'warning', 'content', {
  summary: 'a string contains half of a surrogate pair, as an escape',
  why: 'jq and other strict readers reject the line or the whole file; providers reject the text.',
  arises: 'A string was cut in the middle of an emoji before it was stored.',
  advice:
    "Agents that read JSON in JavaScript lose nothing; replace the escape by hand before you use jq. In a log of Codex 'sessionctl repair' replaces it with U+FFFD.",
  example: '{"type":"message",…"text":"so far \\ud83d"…}',
  looksAt: 'unscanned',
  object: (object, _log, report) => {
    // A quick test; the regular expressions would look at every character.
    if (!object.text.includes('\\u') || !['\\ud', '\\uD'].some((start) => object.text.includes(start))) return;
    const lone = LONE.exec(object.text.replace(PAIR, ''));
    if (lone) report(placeOf(object), `half of a surrogate pair, \\u${lone[0].slice(-4)}; jq stops here`);
  },
  fix: { records: replaceSurrogates },
});
