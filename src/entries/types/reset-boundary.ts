import type { EntryType } from '../entry-type.ts';
/** omp: the context starts anew after it. */
export const resetBoundary: EntryType = {
  name: 'reset_boundary',
  dialect: 'omp',
  toModel: 'boundary',
  note: () => ({ words: ['The context was reset here'] }),
};
