import { counted } from '../util/words.ts';
import { splitDamagedLine } from './fix/split-damaged-line.ts';
import { placeOfLine, type Rule } from './rule.ts';

export const nulBytes: Rule = {
  id: 'nul-bytes',
  level: 'error',
  group: 'bytes',
  summary: 'a line has NUL bytes',
  why: 'JSON does not allow NULs, so agents skip the line, and an entry after the NULs is lost to them.',
  arises: 'The machine lost power after the new length of the file was on disk, but before its new bytes were.',
  advice:
    "'sessionctl repair' removes the NULs and keeps the entries around them; an entry with NULs inside a string or a number goes to quarantine.",
  fixable: true,
  example: '\\0\\0\\0\\0{"type":"message","id":"b",…}',
  line: ({ line, damage }, _log, report) => {
    if (damage !== 'nul-bytes') return;
    let nuls = 0;
    for (let at = line.raw.indexOf('\0'); at >= 0; at = line.raw.indexOf('\0', at + 1)) nuls++;
    report(placeOfLine(line), `${counted(nuls, 'NUL byte')} in the line`);
  },
  fix: { line: splitDamagedLine },
};
