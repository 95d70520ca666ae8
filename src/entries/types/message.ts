import type { EntryType } from '../entry-type.ts';
import { messageOf } from '../envelope-check.ts';
import { messageRoles, messageText } from '../messages.ts';
/** A message of the conversation. */
export const message: EntryType = {
  name: 'message',
  fields: 'message: message',
  dialect: (entry) => messageRoles.find(({ name }) => name === messageOf(entry)?.['role'])?.dialect,
  toModel: 'message',
  hasUsage: true,
  text: (entry) => messageText(messageOf(entry) ?? {}),
};
