import { damageRule } from './rule.ts';

export const notJson = damageRule('not-json', {
  summary: 'a line is not valid JSON',
  why: 'Agents skip it silently; if it was an entry, the entries below it lose their parent.',
  arises:
    'Merge conflict markers, comments, output of another program in the log, an object pretty-printed over several lines, or a damaged disk.',
  advice: "'sessionctl repair' rejoins pretty-printed objects and moves the rest to quarantine.",
  example: '<<<<<<< HEAD',
  message: ({ line }) => `the line is not valid JSON: it starts with '${start(line.text)}'`,
});

function start(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 24 ? `${Array.from(trimmed.slice(0, 24)).slice(0, 20).join('')}...` : trimmed;
}
