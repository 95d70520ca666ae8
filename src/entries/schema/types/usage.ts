import * as z from 'zod';
import { entryType, usage } from '../shapes.ts';

/** pi: what a call beside the conversation has cost. */
export const usageEntry = entryType('usage', {
  kind: z.string().optional(),
  provider: z.string().optional(),
  model: z.string().optional(),
  usage,
});
