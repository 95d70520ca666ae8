import { placeOf, type Rule } from '../rule.ts';

export const duplicateId: Rule = {
  id: 'duplicate-id',
  level: 'error',
  group: 'tree',
  summary: 'an id was used by an earlier entry',
  why: 'Agents keep one of the two: the other one and the branch above it vanish, or the path runs in a circle and the agent hangs.',
  arises: 'Two processes wrote to one session, or lines were copied.',
  mend: "'sessionctl repair' gives the later entry a new id and lets what follows it follow; an exact copy goes to the quarantine.",
  fixable: true,
  example: '{"type":"message","id":"a","parentId":null,…}\n{"type":"message","id":"a","parentId":null,…}',
  looksAt: 'values',
  object: (object, log, report) => {
    if (object.kind !== 'entry' || object.id === undefined) return;
    const earlier = log.find(object.id);
    if (earlier >= 0) report(placeOf(object, 'id'), `id '${object.id}' was used on line ${log.lineOf(earlier)}`);
  },
};
