import { fixField } from './fix/rebuild-tree.ts';
import { fixRecordField } from './fix/record-fixes.ts';
import { shapeRule } from './rule.ts';

export const wrongType = shapeRule('wrong-type', 'error', 'shape', {
  summary: "an entry's type, id, parentId, message or role has the wrong type",
  why: 'Agents drop the entry or throw an error on it, and everything below it is lost.',
  arises: 'A script or a plugin wrote the entry.',
  advice:
    "'sessionctl repair' creates an id and finds a parent if the entry is otherwise usable, and moves it to quarantine if not.",
  example: '{"type":"message","id":7,"parentId":null,…}',
  fix: { object: fixField, records: fixRecordField },
});
