import * as z from 'zod/mini';
import { described, entryType } from '../shapes.ts';

/** Seed 004 and omp write `model: "provider/id"`, pi `provider` and `modelId`, seed 000 `model` without a provider. */
export const modelChange = entryType(
  'model_change',
  () => ({
    model: z.optional(z.string()),
    // Any word; the agents know these.
    role: z.optional(described(z.string(), { examples: ['default', 'fallback', 'temporary', 'smol', 'slow', 'plan'] })),
    resolvedModelIsFallback: z.optional(z.boolean()),
    provider: z.optional(z.string()),
    modelId: z.optional(z.string()),
  }),
  { oneOf: [['model'], ['provider', 'modelId']] },
);
