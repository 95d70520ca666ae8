import * as z from 'zod';
import { content } from '../blocks/index.ts';
import { anything, timestamp } from '../shapes.ts';

export const toolResult = z
  .looseObject({
    role: z.literal('toolResult'),
    toolCallId: z.string(),
    toolName: z.string().optional(),
    content,
    isError: z.boolean().optional(),
    details: anything,
    timestamp,
  })
  .meta({ id: 'message-toolResult' });
