import { defineRule, placeOf } from './rule.ts';

export const misplacedTitle = defineRule('misplaced-title', 'error', 'header', {
  summary: 'a title slot is not the first line of the file',
  why: 'omp rewrites the slot in place at the start of the file; a slot elsewhere is never updated, and agents read it as a broken entry.',
  arises: 'Files were concatenated, or lines were sorted.',
  advice: "'sessionctl repair' moves it to quarantine.",
  example: '{"type":"session",…}\n{"type":"title","v":1,"title":"Fix the invoice",…}',
  looksAt: 'values',
  object: (object, log, report) => {
    if (object.kind === 'title' && log.objects > 0)
      report(placeOf(object), 'this title slot is not the first line of the file');
  },
  fix: {
    object: (repair, { unit, rule }) =>
      repair.drop(unit, rule, 'moved a title slot that is not the first line to quarantine'),
  },
});
