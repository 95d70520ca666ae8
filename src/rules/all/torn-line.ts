import { counted } from '../../base/words.ts';
import { placeOfLine, type Rule } from '../rule.ts';

export const tornLine: Rule = {
  id: 'torn-line',
  level: 'error',
  group: 'bytes',
  summary: 'a line starts as an object and ends before it closes',
  why: 'Agents skip the line without a word, and what hung from its entry loses its parent: a whole branch can vanish from view. Some agents swallow the healthy line behind it as well.',
  arises: 'The program or the machine stopped in the middle of a write, or the disk was full.',
  mend: "'sessionctl repair' moves the torn piece to the quarantine and hangs its children from the nearest entry that survived.",
  fixable: true,
  example: '{"type":"message","id":"c","parentId"',
  line: ({ line, damage }, _log, report) => {
    if (damage === 'torn-line') report(placeOfLine(line), `the line ends before its object closes, after ${counted(line.length, 'byte')}`);
  },
};
