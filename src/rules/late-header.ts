import { applySplices, setMember, skipSpace } from '../json/text.ts';
import { decodeUtf8, encodeUtf8 } from '../lines/line.ts';
import { placeOfRecord } from './check/checked-record.ts';
import { eachRecord } from './fix/record-fixes.ts';
import { editsOf } from './fix/repair-state.ts';
import { defineRule, placeOf } from './rule.ts';

export const lateHeader = defineRule('late-header', 'error', 'header', {
  summary: 'the header comes after an entry',
  why: 'Agents look for it on the first line: they do not recognize the file as a session, and some overwrite it.',
  arises: 'Files were concatenated in the wrong order, or a writer appended entries before it wrote the header.',
  advice: "'sessionctl repair' moves it to the front.",
  example: '{"type":"message","id":"a1b2c3d4",…}\n{"type":"session",…}',
  looksAt: 'values',
  object: (object, log, report) => {
    if (object.kind === 'header' && log.headers === 0 && log.firstEntryLine > 0) {
      report(placeOf(object), `the header comes after the entry on line ${log.firstEntryLine}`);
    }
  },
  record: (record, log, report) => {
    if (record.facts.isHeader && !log.header && log.size > 0)
      report(placeOfRecord(record), `the header comes after the record on line ${log.lineOf(0)}`);
  },
  fix: {
    records: eachRecord((repair, { unit, rule }) => {
      repair.moveToFront(unit, { rule, words: 'moved the header to the front' });
    }),
    // After the fixes of its members.
    end: (repair) => {
      const header = repair.index.findings.find(({ found }) => found === 'late-header')?.unit;
      if (header?.kind !== 'header' || !repair.canFix(header, 'late-header')) return;
      const members = header.edits?.members ?? [];
      const id = members.find(({ key }) => key === 'id');
      const words = `moved the header to the front${id ? ' and made its id a string' : ''}`;
      editsOf(header).moved = { rule: 'late-header', words, idBefore: id?.idBefore, idAfter: id?.idAfter };
      const set = (text: string, key: string, json: string): string =>
        applySplices(text, [setMember(text, skipSpace(text, 0), key, encodeUtf8(json))]);
      const text = members.reduce((before, { key, json }) => set(before, key, json), header.raw);
      repair.insertInFront({ text: decodeUtf8(text), rule: 'late-header', words: '', source: header });
    },
  },
});
