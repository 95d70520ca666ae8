import * as z from 'zod';
import { entryType } from '../shapes.ts';

/** Seed 004 and omp write `model: "provider/id"`, pi `provider` and `modelId`, seed 000 `model` without a provider. */
export const modelChange = entryType(
  'model_change',
  {
    model: z.string().optional(),
    role: z.string().optional(),
    resolvedModelIsFallback: z.boolean().optional(),
    provider: z.string().optional(),
    modelId: z.string().optional(),
  },
  { oneOf: [['model'], ['provider', 'modelId']] },
);
