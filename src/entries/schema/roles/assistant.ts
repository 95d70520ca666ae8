import * as z from 'zod';
import { content } from '../blocks/index.ts';
import { timestamp, usage } from '../shapes.ts';

/** Seed 004 has no api and no stop reason, seed 000 no provider. An empty content is a turn that failed or was stopped. */
export const assistant = z
  .looseObject({
    role: z.literal('assistant'),
    content,
    api: z.string().optional(),
    provider: z.string().optional(),
    model: z.string().optional(),
    usage: usage.optional(),
    stopReason: z.string().optional(),
    errorMessage: z.string().optional(),
    timestamp,
  })
  .meta({ id: 'message-assistant' });
