import * as z from 'zod/mini';
import { content } from '../blocks/index.ts';
import { anything, described, timestamp, usageOfTurn } from '../shapes.ts';

const word = z.optional(z.string());

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
    // pi 1.5.
    rawStopReason: z.optional(z.string()),
    endTurn: z.optional(z.boolean()),
    deferred: z.optional(z.object({ id: z.string(), provider: word, modelId: word, api: word, pollAfterMs: z.optional(z.number()) })),
    responseId: word,
    responseModel: word,
    thinkingLevel: word,
    providerThinkingLevel: anything,
    diagnostics: anything,
    timestamp,
  }),
  { id: 'message-assistant' },
);
