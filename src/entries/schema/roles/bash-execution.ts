import * as z from 'zod';
import { orNull, timestamp } from '../shapes.ts';

/** A command that the user ran. It has no content; the exit code is absent or null when it was stopped. */
export const bashExecution = z
  .looseObject({
    role: z.literal('bashExecution'),
    command: z.string(),
    output: z.string(),
    exitCode: orNull(z.number()).optional(),
    cancelled: z.boolean().optional(),
    truncated: z.boolean().optional(),
    fullOutputPath: z.string().optional(),
    excludeFromContext: z.boolean().optional(),
    timestamp,
  })
  .meta({ id: 'message-bashExecution' });
