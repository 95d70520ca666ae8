import * as z from 'zod';
import { orNull, timestamp } from '../shapes.ts';

/** omp: code that the user ran. */
export const pythonExecution = z
  .looseObject({
    role: z.literal('pythonExecution'),
    code: z.string(),
    output: z.string(),
    exitCode: orNull(z.number()).optional(),
    cancelled: z.boolean().optional(),
    truncated: z.boolean().optional(),
    excludeFromContext: z.boolean().optional(),
    timestamp,
  })
  .meta({ id: 'message-pythonExecution' });
