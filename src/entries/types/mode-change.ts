import type { EntryType } from '../entry-type.ts';
/** Such as plan mode; "none" ends it. */
export const modeChange: EntryType = {
  name: 'mode_change',
  fields: 'mode: string, data?: unknown',
  dialect: 'omp',
  toModel: 'state',
  payload: [['mode']],
  note: ({ mode, data }) => ({ words: ['Mode: ', { code: mode }], data: data ?? undefined }),
};
