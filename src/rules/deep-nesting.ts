import { nestingDepth } from '../json/walk.ts';
import { grouped } from '../util/words.ts';
import { dropRecord } from './fix/record-fixes.ts';
import { defineRule, placeOf } from './rule.ts';

const DEEPEST = 1_000;

export const deepNesting = defineRule('deep-nesting', 'warning', 'content', {
  summary: 'objects and arrays are nested more than 1,000 levels deep, or in Codex more than 127',
  why: 'Readers that recurse run out of stack: jq, Python and many libraries reject the line or crash.',
  arises: 'A tool returned a structure that refers to itself, or someone is trying to break readers.',
  advice:
    "Find out where the entry came from. In a log of Codex, which cannot read it, 'sessionctl repair' moves it to quarantine.",
  example: '{"type":"custom",…,"data":[[[[…]]]]}',
  looksAt: 'unscanned',
  object: (object, _log, report) => {
    // Each level takes at least two characters.
    if (object.text.length <= DEEPEST * 2) return;
    const depth = nestingDepth(object.text);
    if (depth > DEEPEST) report(placeOf(object), `nested ${grouped(depth)} levels deep, more than ${grouped(DEEPEST)}`);
  },
  fix: { records: dropRecord },
});
