import { counted } from '../../base/words.ts';
import { placeOfLine, type Rule } from '../rule.ts';

export const gluedEntries: Rule = {
  id: 'glued-entries',
  level: 'error',
  group: 'bytes',
  summary: 'a whole entry shares its line with another one or with garbage',
  why: 'The line is no JSON, so agents skip it whole: every entry on it is lost to them, though nothing is lost on the disk.',
  arises: 'A newline was never written (a crash, two writers at once), and the next append went on in the same line.',
  mend: "'sessionctl repair' gives each entry a line of its own again and moves what is none to the quarantine.",
  fixable: true,
  example: '{"type":"custom","id":"a",…}{"type":"custom","id":"b",…}',
  line: ({ line, damage, objects }, _log, report) => {
    if (damage !== 'glued-entries') return;
    const found = objects > 0 ? `${counted(objects, 'whole entry', 'whole entries')} on one line` : 'a whole entry between other bytes';
    report(placeOfLine(line), objects > 1 ? found : `${found}, with something else`);
  },
};
