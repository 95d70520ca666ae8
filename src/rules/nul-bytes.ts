import { counted } from '../util/words.ts';
import { damageRule } from './rule.ts';

export const nulBytes = damageRule('nul-bytes', {
  summary: 'a line has NUL bytes',
  why: 'JSON does not allow NULs, so agents skip the line, and an entry after the NULs is lost to them.',
  arises: 'The machine lost power after the new length of the file was on disk, but before its new bytes were.',
  advice:
    "'sessionctl repair' removes the NULs and keeps the entries around them; an entry with NULs inside a string or a number goes to quarantine.",
  example: '\\x00\\x00\\x00\\x00…{"type":"message","id":"b2c3d4e5",…}',
  message: ({ line }) => `${counted(nuls(line.raw), 'NUL byte')} in the line`,
});

function nuls(raw: string): number {
  let count = 0;
  for (let at = raw.indexOf('\0'); at >= 0; at = raw.indexOf('\0', at + 1)) count++;
  return count;
}
