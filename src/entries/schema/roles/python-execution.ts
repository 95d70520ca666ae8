import * as z from 'zod/mini';
import { described, orNull, timestamp } from '../shapes.ts';

/** omp: code that the user ran. */
export const pythonExecution = described(
  z.object({
    role: z.literal('pythonExecution'),
    code: z.string(),
    output: z.string(),
    exitCode: z.optional(orNull(z.number())),
    cancelled: z.optional(z.boolean()),
    truncated: z.optional(z.boolean()),
    excludeFromContext: z.optional(z.boolean()),
    timestamp,
  }),
  { id: 'message-pythonExecution' },
);
