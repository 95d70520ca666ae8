import { counted } from '../util/words.ts';
import { damageRule } from './rule.ts';

export const gluedEntries = damageRule('glued-entries', {
  summary: 'a complete entry shares its line with another one or with garbage',
  why: 'The line is not valid JSON, so agents skip all of it: they lose every entry on it, although the data is still on disk.',
  arises: 'A newline was never written (a crash, two writers at once), and the next append continued on the same line.',
  advice: "'sessionctl repair' puts each entry on its own line again and moves the rest to quarantine.",
  example: '{"type":"message","id":"b2c3d4e5",…}{"type":"message","id":"c3d4e5f6",…}',
  message: ({ objects }) => {
    if (objects === 0) return 'a complete entry among other bytes, along with something else';
    const found = `${counted(objects, 'complete entry', 'complete entries')} on one line`;
    return objects > 1 ? found : `${found}, along with something else`;
  },
});
