import type { EntryType } from '../entry-type.ts';
/** pi: the name of the session; an empty one clears it. */
export const sessionInfo: EntryType = {
  name: 'session_info',
  fields: 'name?: string',
  dialect: 'pi',
  toModel: 'state',
  titleKey: 'name',
  note: ({ name }) => ({ words: name ? ['Session name: ', { code: name }] : ['Session name removed'] }),
};
