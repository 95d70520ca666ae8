import { damageRule } from './rule.ts';

export const notAnObject = damageRule('not-an-object', {
  summary: 'a line is JSON but not an object',
  why: 'Every line of a log is an object; some agents throw an error on anything else and can no longer open the session.',
  arises: 'A script appended a bare value, or wrote the log as one array.',
  advice: "'sessionctl repair' moves the line to quarantine.",
  example: 'null',
  message: ({ line }) => `the line is ${kind(line.text.trim())}, not an object`,
});

function kind(text: string): string {
  if (text.startsWith('[')) return 'an array';
  if (text.startsWith('"')) return 'a string';
  if (text === 'null') return 'null';
  return text === 'true' || text === 'false' ? 'a boolean' : 'a number';
}
