import * as z from 'zod/mini';
import { content } from '../blocks/index.ts';
import { anObject, anything, described, timestamp, usage } from '../shapes.ts';

export const toolResult = described(
  z.object({
    role: z.literal('toolResult'),
    toolCallId: z.string(),
    toolName: z.optional(z.string()),
    content,
    isError: z.optional(z.boolean()),
    details: anything,
    // pi 1.5: what the tool itself used, and the calls that it made.
    usage: z.optional(usage),
    nestedCalls: z.optional(z.object({ calls: z.array(anObject), complete: z.optional(z.boolean()) })),
    timestamp,
  }),
  { id: 'message-toolResult' },
);
