import { placeOf, type Rule } from '../rule.ts';

export const badHeader: Rule = {
  id: 'bad-header',
  level: 'error',
  group: 'header',
  summary: 'the header has no string id',
  why: 'Agents do not recognize the file as a session, and some overwrite it.',
  arises: 'A script wrote or changed the header.',
  mend: "'sessionctl repair' turns the value that is there into a string.",
  fixable: true,
  example: '{"type":"session","version":3,"id":5,…}',
  looksAt: 'values',
  object: (object, _log, report) => {
    if (object.kind !== 'header' || typeof object.value['id'] === 'string') return;
    const found = 'id' in object.value ? 'is not a string' : 'is missing';
    report(placeOf(object, 'id'), `the header's id ${found}`);
  },
};
