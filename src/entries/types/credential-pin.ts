import type { EntryType } from '../entry-type.ts';
/** omp: the account that the session uses. */
export const credentialPin: EntryType = {
  name: 'credential_pin',
  fields: 'provider?: string, hash?: string',
  dialect: 'omp',
  note: ({ provider }) => ({ words: ['Account pinned', ...(provider ? [' for ', { code: provider }] : [])] }),
};
