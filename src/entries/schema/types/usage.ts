import * as z from 'zod/mini';
import { entryType, usage } from '../shapes.ts';

/** pi: what a call beside the conversation has cost. */
export const usageEntry = entryType('usage', () => ({
  kind: z.optional(z.string()),
  provider: z.optional(z.string()),
  model: z.optional(z.string()),
  usage,
}));
