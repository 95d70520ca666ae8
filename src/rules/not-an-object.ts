import { splitDamagedLine } from './fix/split-damaged-line.ts';
import { placeOfLine, type Rule } from './rule.ts';

export const notAnObject: Rule = {
  id: 'not-an-object',
  level: 'error',
  group: 'bytes',
  summary: 'a line is JSON but not an object',
  why: 'Every line of a log is an object; some agents throw an error on anything else and can no longer open the session.',
  arises: 'A script appended a bare value, or wrote the log as one array.',
  advice: "'sessionctl repair' moves the line to quarantine.",
  fixable: true,
  example: 'null',
  line: ({ line, damage }, _log, report) => {
    if (damage === 'not-an-object') report(placeOfLine(line), `the line is ${kind(line.text.trim())}, not an object`);
  },
  fix: { line: splitDamagedLine },
};

function kind(text: string): string {
  if (text.startsWith('[')) return 'an array';
  if (text.startsWith('"')) return 'a string';
  if (text === 'null') return 'null';
  return text === 'true' || text === 'false' ? 'a boolean' : 'a number';
}
