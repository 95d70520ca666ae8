import { shortJson } from '../../base/to-json.ts';
import { versionOf } from '../../entries/envelope-check.ts';
import { placeOf, type Rule } from '../rule.ts';

export const unknownVersion: Rule = {
  id: 'unknown-version',
  level: 'error',
  group: 'header',
  summary: 'the header names a version other than 1, 2 and 3',
  why: 'Agents guess: some migrate such a file as if it were old and overwrite its ids.',
  arises: 'A newer agent wrote the file, or a script wrote the version as text.',
  mend: 'No command mends it, for only the writer knows what it meant: use the agent that wrote it, or correct the number by hand.',
  fixable: false,
  example: '{"type":"session","version":4,"id":"s1",…}',
  looksAt: 'values',
  object: (object, _log, report) => {
    if (object.kind !== 'header' || versionOf(object.value).known) return;
    report(placeOf(object, 'version'), `version ${shortJson(object.value['version'])} is not known; 1, 2 and 3 are`);
  },
};
