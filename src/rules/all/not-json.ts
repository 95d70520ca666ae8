import { placeOfLine, type Rule } from '../rule.ts';

export const notJson: Rule = {
  id: 'not-json',
  level: 'error',
  group: 'bytes',
  summary: 'a line is no JSON',
  why: 'Agents skip it without a word; if it was an entry, what hung from it loses its parent.',
  arises:
    'Merge conflict markers, comments, output of another program in the log, an object printed over several lines, or a damaged disk.',
  mend: "'sessionctl repair' rejoins printed objects and moves the rest to the quarantine.",
  fixable: true,
  example: '<<<<<<< HEAD',
  line: ({ line, damage }, _log, report) => {
    if (damage === 'not-json') report(placeOfLine(line), `the line is no JSON: it starts with '${start(line.text)}'`);
  },
};

function start(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 24 ? `${Array.from(trimmed.slice(0, 24)).slice(0, 20).join('')}...` : trimmed;
}
