import * as z from 'zod/mini';
import { described, orNull, timestamp } from '../shapes.ts';

/** A command that the user ran. It has no content; the exit code is absent or null when it was stopped. */
export const bashExecution = described(
  z.object({
    role: z.literal('bashExecution'),
    command: z.string(),
    output: z.string(),
    exitCode: z.optional(orNull(z.number())),
    cancelled: z.optional(z.boolean()),
    truncated: z.optional(z.boolean()),
    fullOutputPath: z.optional(z.string()),
    excludeFromContext: z.optional(z.boolean()),
    timestamp,
  }),
  { id: 'message-bashExecution' },
);
