import * as z from 'zod';
import { content } from '../blocks/index.ts';
import { anObject, timestamp } from '../shapes.ts';

/** pi: the system prompt, whole or by sections, and the tools that came with it. */
export const system = z
  .looseObject({
    role: z.literal('system'),
    content,
    sections: z.union([anObject, z.array(z.unknown())]).optional(),
    toolsAdded: z.array(z.unknown()).optional(),
    timestamp,
  })
  .meta({ id: 'message-system' });
