import * as z from 'zod/mini';
import { described } from '../shapes.ts';

/** omp: thinking that the provider has encrypted. */
export const redactedThinking = described(z.object({ type: z.literal('redactedThinking'), data: z.string() }), {
  id: 'block-redactedThinking',
});
