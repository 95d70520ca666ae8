import { fixField } from './fix/rebuild-tree.ts';
import { fixRecordField } from './fix/record-fixes.ts';
import { shapeRule } from './rule.ts';

export const missingField = shapeRule('missing-field', 'error', 'shape', {
  summary: 'an entry lacks a field that agents need, such as its type, id, parent, message or role',
  why: 'Agents drop the entry or throw an error on it, and everything below it may be lost.',
  arises: 'A script or a plugin wrote the entry, or a version 1 entry is in a newer file.',
  advice:
    "'sessionctl repair' gives the entry an id, a parent or a time if it is otherwise usable, and moves it to quarantine if not.",
  example: '{"type":"message","id":"a1b2c3d4","timestamp":"…","message":{"role":"user",…}}',
  fix: { object: fixField, records: fixRecordField },
});
