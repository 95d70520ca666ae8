import * as z from 'zod';
import { entryType, usage } from '../shapes.ts';

/** omp: what a call beside the conversation has cost. */
export const modelUsage = entryType('model_usage', {
  purpose: z.string().optional(),
  role: z.string().optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
  usage: usage.optional(),
});
