import { isObject } from '../../json/value.ts';
import type { EntryType, NoteWord } from '../entry-type.ts';
/** An extension's own state; no model sees it. */
export const custom: EntryType = {
  name: 'custom',
  fields: 'customType: string, data?: unknown',
  payload: [['customType']],
  note: ({ customType, data }) => ({ words: noteWords(customType, data), data }),
};

/** Where a subagent's session is another one, our own entry says which. */
function noteWords(customType: unknown, data: unknown): NoteWord[] {
  if (customType !== 'sessionctl/subagent' || !isObject(data))
    return ['Extension data: ', { code: customType ?? 'unnamed' }];
  const { role, childSession } = data;
  return ['Subagent ', ...(role === undefined ? [] : [{ code: role }, ' ']), 'in the session ', { code: childSession }];
}
