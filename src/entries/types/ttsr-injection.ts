import type { EntryType } from '../entry-type.ts';
/** The rules that omp put into the context. */
export const ttsrInjection: EntryType = {
  name: 'ttsr_injection',
  fields: 'injectedRules: string[]',
  dialect: 'omp',
  toModel: 'state',
  payload: [['injectedRules']],
  text: ({ injectedRules }) =>
    Array.isArray(injectedRules) ? [injectedRules.filter((rule) => typeof rule === 'string').join(', ')] : [],
  note: ({ injectedRules }) => ({ words: ['Rules added to the context: ', { names: injectedRules }] }),
};
