import type { EntryType } from '../entry-type.ts';
/** omp: the tier is a string, one per model family, or null. */
export const serviceTierChange: EntryType = {
  name: 'service_tier_change',
  fields: 'serviceTier?: unknown',
  dialect: 'omp',
  toModel: 'state',
  note: ({ serviceTier }) => ({ words: ['Service tier: ', { code: serviceTier ?? 'default' }] }),
};
