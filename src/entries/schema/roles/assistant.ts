import * as z from 'zod/mini';
import { content } from '../blocks/index.ts';
import { described, timestamp, usageOfTurn } from '../shapes.ts';

/** Seed 004 has no api and no stop reason, seed 000 no provider. An empty content is a turn that failed or was stopped. */
export const assistant = described(
  z.object({
    role: z.literal('assistant'),
    content,
    api: z.optional(z.string()),
    provider: z.optional(z.string()),
    model: z.optional(z.string()),
    usage: z.optional(usageOfTurn()),
    stopReason: z.optional(z.string()),
    errorMessage: z.optional(z.string()),
    timestamp,
  }),
  { id: 'message-assistant' },
);
