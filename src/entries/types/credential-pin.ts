import type { EntryType } from '../entry-type.ts';
/** omp: which account the session stays with. */
export const credentialPin: EntryType = {
  name: 'credential_pin',
  fields: 'provider?: string, hash?: string',
  dialect: 'omp',
  note: ({ provider }) => ({ words: ['Account pinned', ...(provider ? [' for ', { code: provider }] : [])] }),
};
