import * as z from 'zod/mini';
import { content } from '../blocks/index.ts';
import { anything, described, timestamp } from '../shapes.ts';

export const toolResult = described(
  z.object({
    role: z.literal('toolResult'),
    toolCallId: z.string(),
    toolName: z.optional(z.string()),
    content,
    isError: z.optional(z.boolean()),
    details: anything,
    timestamp,
  }),
  { id: 'message-toolResult' },
);
