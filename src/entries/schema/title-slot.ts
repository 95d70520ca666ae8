import * as z from 'zod';

/** The line that omp rewrites in place before the header; its 256 bytes are a rule of their own. */
export const titleSlot = z.looseObject({
  type: z.literal('title'),
  v: z.number(),
  title: z.string(),
  source: z.string().optional(),
  updatedAt: z.unknown().optional(),
  pad: z.string(),
});

export type TitleSlot = z.infer<typeof titleSlot>;
