import type { EntryType } from '../entry-type.ts';
/** omp: a new title of the session. */
export const titleChange: EntryType = {
  name: 'title_change',
  fields: 'title: string, previousTitle?: string, source?: string, trigger?: string',
  dialect: 'omp',
  toModel: 'state',
  payload: [['title']],
  titleKey: 'title',
  note: ({ title }) => ({ words: ['Title: ', { code: title }] }),
};
