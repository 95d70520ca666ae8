import { placeOf, type Rule } from '../rule.ts';

/** With its newline. */
const SLOT_BYTES = 256;

export const badTitleSlot: Rule = {
  id: 'bad-title-slot',
  level: 'error',
  group: 'header',
  summary: 'the title slot is not exactly 256 bytes',
  why: 'omp writes a new title over the first 256 bytes of the file: if the slot is shorter, it overwrites the start of the header.',
  arises: 'An editor or a JSON tool rewrote the line and lost its padding.',
  mend: "'sessionctl repair' pads the slot, or moves it to quarantine if it is too long.",
  fixable: true,
  example: '{"type":"title","v":1,"title":"Fix the build","pad":""}',
  looksAt: 'values',
  object: (object, log, report) => {
    if (object.kind !== 'title' || log.objects > 0) return;
    const bytes = object.line.length + 1;
    if (bytes !== SLOT_BYTES) report(placeOf(object), `the title slot has ${bytes} bytes with its newline, not ${SLOT_BYTES}`);
  },
};
