import { messageOf } from '../entries/envelope-check.ts';
import { readTime } from './check/time.ts';
import { placeOf, type Rule } from './rule.ts';

const CLOSE_MS = 60_000;

export const siblingWriters: Rule = {
  id: 'sibling-writers',
  level: 'warning',
  group: 'tree',
  summary: 'two user messages with one parent were written within a minute of each other',
  why: 'Two programs are probably writing to the same session: each sees only its own branch.',
  arises: 'The same session is open in two terminals.',
  advice: "Nothing is lost; 'sessionctl tree' shows both branches. Close one of the two programs.",
  fixable: false,
  example:
    '{"type":"message","id":"b","parentId":"a",…"role":"user"…}\n{"type":"message","id":"c","parentId":"a",…"role":"user"…}',
  looksAt: 'values',
  object: (object, log, report) => {
    const before = log.last;
    if (
      object.kind !== 'entry' ||
      before === undefined ||
      before.role !== 'user' ||
      messageOf(object.value)?.['role'] !== 'user'
    )
      return;
    const parent = object.value['parentId'];
    if (parent === undefined || parent !== before.parentId) return;
    const time = readTime(object.value['timestamp']);
    if (time === undefined || before.time === undefined || Math.abs(time - before.time) > CLOSE_MS) return;
    report(
      placeOf(object, 'parentId'),
      `the user message on line ${before.line} has the same parent and was written within ${Math.round(Math.abs(time - before.time) / 1000)} s of this one`,
    );
  },
};
