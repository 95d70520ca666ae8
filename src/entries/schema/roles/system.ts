import * as z from 'zod/mini';
import { content } from '../blocks/index.ts';
import { anObject, described, timestamp } from '../shapes.ts';

/** pi: the system prompt, whole or by sections, and the tools that came with it. */
export const system = described(
  z.object({
    role: z.literal('system'),
    content,
    sections: z.optional(z.union([anObject, z.array(z.unknown())])),
    toolsAdded: z.optional(z.array(z.unknown())),
    toolsRemoved: z.optional(z.array(z.unknown())),
    timestamp,
  }),
  { id: 'message-system' },
);
