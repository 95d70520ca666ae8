import { anything, entryType } from '../shapes.ts';

/** omp; the tier is a word, one for each family of models, or null. */
export const serviceTierChange = entryType('service_tier_change', () => ({ serviceTier: anything }));
