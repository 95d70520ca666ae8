import { isObject } from '../../json/value.ts';
import type { EntryType, NoteWord } from '../entry-type.ts';
/** An extension's own state, hidden from the model. */
export const custom: EntryType = {
  name: 'custom',
  fields: 'customType: string, data?: unknown',
  payload: [['customType']],
  note: ({ customType, data }) => ({ words: noteWords(customType, data), data }),
};

/** Our own entry names the session of a subagent. */
function noteWords(customType: unknown, data: unknown): NoteWord[] {
  if (customType !== 'sessionctl/subagent' || !isObject(data))
    return ['Extension data: ', { code: customType ?? 'unnamed' }];
  const { role, childSession } = data;
  return ['Subagent ', ...(role === undefined ? [] : [{ code: role }, ' ']), 'in the session ', { code: childSession }];
}
