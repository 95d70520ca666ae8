import { defineRule, placeOf } from './rule.ts';

export const extraRoot = defineRule('extra-root', 'off', 'tree', {
  summary: 'the file has more than one root',
  why: 'A fact, not a fault: going back before the first message creates a new root.',
  arises: 'The user started over from the beginning.',
  advice: 'Nothing to fix.',
  example:
    '{"type":"message","id":"a1b2c3d4","parentId":null,…}\n…\n{"type":"message","id":"c3d4e5f6","parentId":null,…}',
  object: (object, log, report) => {
    const isRoot = object.kind === 'entry' && object.value['parentId'] === null;
    if (isRoot && log.roots > 0) report(placeOf(object), 'another root');
  },
});
