import * as z from 'zod/mini';
import { described } from '../shapes.ts';

/** omp: thinking that the provider has encrypted. */
export const redactedThinking = described(z.looseObject({ type: z.literal('redactedThinking'), data: z.string() }), {
  id: 'block-redactedThinking',
});
