import { type EntryType, stringOf } from '../entry-type.ts';
import { contentText } from '../messages.ts';
/** A message from an extension to the model. */
export const customMessage: EntryType = {
  name: 'custom_message',
  fields: 'customType: string, content: content, display?: boolean, details?: unknown, attribution?: string',
  toModel: 'message',
  payload: [['customType', 'content']],
  text: (entry) => [stringOf(entry['customType']), ...contentText(entry['content'])],
};
