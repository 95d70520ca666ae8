import * as z from 'zod';

/** omp: thinking that the provider has encrypted. */
export const redactedThinking = z
  .looseObject({ type: z.literal('redactedThinking'), data: z.string() })
  .meta({ id: 'block-redactedThinking' });
