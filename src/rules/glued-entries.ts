import { counted } from '../util/words.ts';
import { splitDamagedLine } from './fix/split-damaged-line.ts';
import { placeOfLine, type Rule } from './rule.ts';

export const gluedEntries: Rule = {
  id: 'glued-entries',
  level: 'error',
  group: 'bytes',
  summary: 'a complete entry shares its line with another one or with garbage',
  why: 'The line is not valid JSON, so agents skip all of it: they lose every entry on it, although the data is still on disk.',
  arises: 'A newline was never written (a crash, two writers at once), and the next append continued on the same line.',
  advice: "'sessionctl repair' puts each entry on its own line again and moves the rest to quarantine.",
  fixable: true,
  example: '{"type":"custom","id":"a",…}{"type":"custom","id":"b",…}',
  line: ({ line, damage, objects }, _log, report) => {
    if (damage !== 'glued-entries') return;
    const found =
      objects > 0
        ? `${counted(objects, 'complete entry', 'complete entries')} on one line`
        : 'a complete entry among other bytes';
    report(placeOfLine(line), objects > 1 ? found : `${found}, along with something else`);
  },
  fix: { line: splitDamagedLine },
};
