import type { EntryType } from '../entry-type.ts';
/** pi: the tools that the model may call from here on. */
export const activeToolsChange: EntryType = {
  name: 'active_tools_change',
  fields: 'activeToolNames: string[]',
  dialect: 'pi',
  toModel: 'state',
  payload: [['activeToolNames']],
  note: (entry) => ({ words: ['Tools the model may call: ', { names: entry['activeToolNames'] }] }),
};
