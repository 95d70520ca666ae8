import type { LineEdit } from '../../json/line-edit.ts';
import { findMember, skipSpace } from '../../json/text.ts';
import { isObject } from '../../json/value.ts';

const OLD_ROLE = 'hookMessage';

/** Version 3 calls the role hookMessage custom; nothing else is new. */
export function entryToVersion3(edit: LineEdit): void {
  const message = edit.value['message'];
  if (edit.value['type'] !== 'message' || !isObject(message) || message['role'] !== OLD_ROLE) return;
  const open = findMember(edit.raw, skipSpace(edit.raw, 0), 'message')?.valueStart;
  const role = open === undefined ? undefined : findMember(edit.raw, open, 'role');
  if (role) edit.splice({ start: role.valueStart, end: role.valueEnd, text: '"custom"' });
}
