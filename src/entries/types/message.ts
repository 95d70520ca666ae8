import type { EntryType } from '../entry-type.ts';
import { messageOf } from '../envelope-check.ts';
import { messageRoles, messageText } from '../roles.ts';
/** The conversation itself. */
export const message: EntryType = {
  name: 'message',
  fields: (shapes) => ({ message: shapes.message }),
  dialect: (entry) => messageRoles.find(({ name }) => name === messageOf(entry)?.['role'])?.dialect,
  toModel: 'message',
  hasUsage: true,
  text: (entry) => messageText(messageOf(entry) ?? {}),
};
