import * as z from 'zod/mini';
import { block } from '../blocks/index.ts';
import { described, timestamp } from '../shapes.ts';

/** omp: files that the user named, with what they held. */
export const fileMention = described(
  z.object({
    role: z.literal('fileMention'),
    files: z.array(
      z.object({
        path: z.string(),
        content: z.optional(z.string()),
        lineCount: z.optional(z.number()),
        image: z.optional(block),
      }),
    ),
    timestamp,
  }),
  { id: 'message-fileMention' },
);
