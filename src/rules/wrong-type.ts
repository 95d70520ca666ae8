import { fixField } from './fix/rebuild-tree.ts';
import { fixRecordField } from './fix/record-fixes.ts';
import { shapeRule } from './rule.ts';

export const wrongType = shapeRule('wrong-type', 'error', 'shape', {
  summary: 'a field that agents need, such as the type, id, parent, message or role of an entry, has the wrong type',
  why: 'Agents drop the entry or throw an error on it, and everything below it may be lost.',
  arises: 'A script or a plugin wrote the entry.',
  advice:
    "'sessionctl repair' gives the entry an id, a parent or a time if it is otherwise usable, and moves it to quarantine if not.",
  example: '{"type":"message","id":"a1b2c3d4","parentId":7,…}',
  fix: { object: fixField, records: fixRecordField },
});
