import { counted } from '../util/words.ts';
import { damageRule } from './rule.ts';

export const tornLine = damageRule('torn-line', {
  summary: 'a line starts as an object but ends before the object closes',
  why: 'Agents skip the line silently, and the entries below it lose their parent: a whole branch can disappear from view. Some agents lose the healthy line after it as well.',
  arises: 'The program or the machine stopped in the middle of a write, or the disk was full.',
  advice:
    "'sessionctl repair' moves the truncated piece to quarantine and reattaches its children to the nearest surviving entry.",
  example: '{"type":"message","id":"c3d4e5f6","parentId":"b2c3d4e5","timestamp":"2',
  message: ({ line }) => `the line ends before its object closes, after ${counted(line.length, 'byte')}`,
});
