import type { EntryType } from '../entry-type.ts';
/** omp: the session got another title. */
export const titleChange: EntryType = {
  name: 'title_change',
  fields: 'title: string, previousTitle?: string, source?: string, trigger?: string',
  dialect: 'omp',
  toModel: 'state',
  payload: [['title']],
  titleKey: 'title',
  note: ({ title }) => ({ words: ['Title: ', { code: title }] }),
};
