import { findMember, skipSpace } from '../json/text.ts';
import { decodeUtf8 } from '../lines/line.ts';
import { hashUuid } from '../util/uuid.ts';
import { completeHeader } from './fix/record-fixes.ts';
import { defineRule, placeOf } from './rule.ts';

export const badHeader = defineRule('bad-header', 'error', 'header', {
  summary: 'the header has no string id, or in Codex lacks another field',
  why: 'Agents do not recognize the file as a session, and some overwrite it.',
  arises: 'A script wrote or changed the header.',
  advice: "'sessionctl repair' turns the id that is there into a string, and creates what is missing.",
  example: '{"type":"session","version":3,"id":5,…}',
  looksAt: 'values',
  object: (object, _log, report) => {
    if (object.kind !== 'header' || typeof object.value['id'] === 'string') return;
    const found = 'id' in object.value ? 'is not a string' : 'is missing';
    report(placeOf(object, 'id'), `the header's id ${found}`);
  },
  fix: {
    records: completeHeader,
    object: (repair, { unit, rule }) => {
      // Another header is removed, if at all.
      if (unit.kind === 'entry' || unit !== repair.index.headers[0]) return;
      const { raw } = unit;
      const member = findMember(raw, skipSpace(raw, 0), 'id');
      const idBefore = member ? decodeUtf8(raw.slice(member.valueStart, member.valueEnd)) : undefined;
      const id = idBefore ?? hashUuid(repair.index.firstEntry?.bytes ?? raw);
      repair.headerId = id;
      const words = idBefore === undefined ? 'added an id to the header' : "made the header's id a string";
      repair.setMember(unit, { key: 'id', json: JSON.stringify(id), rule, words, idBefore, idAfter: id });
    },
  },
});
