import { messageOf } from '../entries/envelope-check.ts';
import { defineRule, placeOf } from './rule.ts';

const CLOSE_MS = 60_000;

export const siblingWriters = defineRule('sibling-writers', 'warning', 'tree', {
  summary: 'two user messages with one parent were written within a minute of each other',
  why: 'Two programs are probably writing to the same session: each sees only its own branch.',
  arises: 'The same session is open in two terminals.',
  advice: "Nothing is lost; 'sessionctl tree' shows both branches. Close one of the two programs.",
  example:
    '{"type":"message","id":"c3d4e5f6","parentId":"b2c3d4e5",…,"message":{"role":"user",…}}\n{"type":"message","id":"d4e5f6a7","parentId":"b2c3d4e5",…,"message":{"role":"user",…}}',
  looksAt: 'values',
  object: (object, log, report) => {
    const before = log.last;
    const { parentId } = object.value;
    if (object.kind !== 'entry' || before?.role !== 'user' || messageOf(object.value)?.['role'] !== 'user') return;
    if (parentId === undefined || parentId !== before.parentId) return;
    const apart = Math.abs((object.time ?? Number.NaN) - (before.time ?? Number.NaN));
    if (apart <= CLOSE_MS)
      report(
        placeOf(object, 'parentId'),
        `the user message on line ${before.line} has the same parent and was written within ${Math.round(apart / 1000)} s of this one`,
      );
  },
});
