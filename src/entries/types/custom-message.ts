import { contentText } from '../blocks.ts';
import { type EntryType, stringOf } from '../entry-type.ts';
/** What an extension says to the model. */
export const customMessage: EntryType = {
  name: 'custom_message',
  fields: ({ string, boolean, optional, anything, content }) => ({
    customType: string,
    content,
    display: optional(boolean),
    details: anything,
    attribution: optional(string),
  }),
  toModel: 'message',
  payload: [['customType', 'content']],
  text: (entry) => [stringOf(entry['customType']), ...contentText(entry['content'])],
};
