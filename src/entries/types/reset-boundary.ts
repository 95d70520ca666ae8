import type { EntryType } from '../entry-type.ts';
/** omp: the context begins anew behind it. */
export const resetBoundary: EntryType = {
  name: 'reset_boundary',
  dialect: 'omp',
  toModel: 'boundary',
  note: () => ({ words: ['The context was reset here'] }),
};
