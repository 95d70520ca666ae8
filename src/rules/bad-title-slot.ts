import { findMember, skipSpace } from '../json/text.ts';
import type { HeadLine, RepairState } from './fix/repair-state.ts';
import { defineRule, placeOf } from './rule.ts';

/** Including the newline. */
const SLOT_BYTES = 256;

export const badTitleSlot = defineRule('bad-title-slot', 'error', 'header', {
  summary: 'the title slot is not exactly 256 bytes',
  why: 'omp writes a new title over the first 256 bytes of the file: if the slot is shorter, it overwrites the start of the header.',
  arises: 'An editor or a JSON tool rewrote the line and lost its padding.',
  advice: "'sessionctl repair' pads the slot, or moves it to quarantine if it is too long.",
  example: '{"type":"title","v":1,"title":"Fix the invoice",…,"pad":"   "}',
  looksAt: 'values',
  object: (object, log, report) => {
    if (object.kind !== 'title' || log.objects > 0) return;
    const bytes = object.line.length + 1;
    if (bytes !== SLOT_BYTES)
      report(placeOf(object), `the title slot has ${bytes} bytes with its newline, not ${SLOT_BYTES}`);
  },
  fix: {
    object: (repair, { unit, rule }) => {
      if (unit.kind !== 'entry') resize(repair, unit, rule);
    },
  },
});

function resize(repair: RepairState, slot: HeadLine, rule: string): void {
  const missing = SLOT_BYTES - slot.newline.length - slot.raw.length;
  const pad = findMember(slot.raw, skipSpace(slot.raw, 0), 'pad');
  const held = pad ? pad.valueEnd - pad.valueStart - 2 : -',"pad":""'.length;
  if ((pad && typeof slot.value['pad'] !== 'string') || held + missing < 0) {
    repair.drop(slot, rule, `moved a title slot that cannot be made ${SLOT_BYTES} bytes long to quarantine`);
    return;
  }
  const json = JSON.stringify(' '.repeat(held + missing));
  repair.setMember(slot, { key: 'pad', json, rule, words: `padded the title slot to ${SLOT_BYTES} bytes` });
}
