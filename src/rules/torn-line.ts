import { counted } from '../util/words.ts';
import { splitDamagedLine } from './fix/split-damaged-line.ts';
import { placeOfLine, type Rule } from './rule.ts';

export const tornLine: Rule = {
  id: 'torn-line',
  level: 'error',
  group: 'bytes',
  summary: 'a line starts as an object but ends before the object closes',
  why: 'Agents skip the line silently, and the entries below it lose their parent: a whole branch can disappear from view. Some agents lose the healthy line after it as well.',
  arises: 'The program or the machine stopped in the middle of a write, or the disk was full.',
  advice:
    "'sessionctl repair' moves the truncated piece to quarantine and reattaches its children to the nearest surviving entry.",
  fixable: true,
  example: '{"type":"message","id":"c","parentId"',
  line: ({ line, damage }, _log, report) => {
    if (damage === 'torn-line')
      report(placeOfLine(line), `the line ends before its object closes, after ${counted(line.length, 'byte')}`);
  },
  fix: { line: splitDamagedLine },
};
