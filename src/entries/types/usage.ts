import type { JsonObject } from '../../json/value.ts';
import { type EntryType, modelName, type Note, stringOf } from '../entry-type.ts';
/** pi: the cost of a call outside the conversation. */
export const usage: EntryType = {
  name: 'usage',
  fields: 'kind?: string, provider?: string, model?: string, usage: usage',
  dialect: 'pi',
  payload: [['usage']],
  hasUsage: true,
  note: usageNote,
};

export function usageNote(entry: JsonObject): Note {
  const purpose = typeof entry['purpose'] === 'string' ? entry['purpose'] : stringOf(entry['kind']);
  const model = modelName(entry);
  return {
    words: [
      'A call outside the conversation',
      ...(purpose ? [' for ', { code: purpose }] : []),
      ...(model ? [', ', { code: model }] : []),
    ],
  };
}
