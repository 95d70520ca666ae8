import type { EntryType } from '../entry-type.ts';
/** omp: the session got another title. */
export const titleChange: EntryType = {
  name: 'title_change',
  fields: ({ string, optional }) => ({
    title: string,
    previousTitle: optional(string),
    source: optional(string),
    trigger: optional(string),
  }),
  dialect: 'omp',
  toModel: 'state',
  payload: [['title']],
  titleKey: 'title',
  note: ({ title }) => ({ words: ['Title: ', { code: title }] }),
};
