import * as z from 'zod/mini';
import { anything } from './shapes.ts';

/** The line that omp rewrites in place before the header; its 256 bytes are a rule of their own. */
export const titleSlot = z.object({
  type: z.literal('title'),
  v: z.number(),
  title: z.string(),
  source: z.optional(z.string()),
  updatedAt: anything,
  pad: z.string(),
});

export type TitleSlot = z.infer<typeof titleSlot>;
