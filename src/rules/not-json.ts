import { splitDamagedLine } from './fix/split-damaged-line.ts';
import { placeOfLine, type Rule } from './rule.ts';

export const notJson: Rule = {
  id: 'not-json',
  level: 'error',
  group: 'bytes',
  summary: 'a line is not valid JSON',
  why: 'Agents skip it silently; if it was an entry, the entries below it lose their parent.',
  arises:
    'Merge conflict markers, comments, output of another program in the log, an object pretty-printed over several lines, or a damaged disk.',
  advice: "'sessionctl repair' rejoins pretty-printed objects and moves the rest to quarantine.",
  fixable: true,
  example: '<<<<<<< HEAD',
  line: ({ line, damage }, _log, report) => {
    if (damage === 'not-json')
      report(placeOfLine(line), `the line is not valid JSON: it starts with '${start(line.text)}'`);
  },
  fix: { line: splitDamagedLine },
};

function start(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 24 ? `${Array.from(trimmed.slice(0, 24)).slice(0, 20).join('')}...` : trimmed;
}
