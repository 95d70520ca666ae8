import * as z from 'zod/mini';
import { anything, entryType, usage } from '../shapes.ts';

/** fromId is the branch point or "root"; in pi from 1.5 on it is the leaf that was left. */
export const branchSummary = entryType('branch_summary', () => ({
  fromId: z.string(),
  summary: z.string(),
  details: anything,
  fromExtension: z.optional(z.boolean()),
  fromHook: z.optional(z.boolean()),
  usage: z.optional(usage),
}));
