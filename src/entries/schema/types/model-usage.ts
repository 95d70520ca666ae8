import * as z from 'zod/mini';
import { entryType, usage } from '../shapes.ts';

/** omp: what a call beside the conversation has cost. */
export const modelUsage = entryType('model_usage', () => ({
  purpose: z.optional(z.string()),
  role: z.optional(z.string()),
  provider: z.optional(z.string()),
  model: z.optional(z.string()),
  usage: z.optional(usage),
}));
