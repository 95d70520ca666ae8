import * as z from 'zod/mini';
import { anything, timestamp } from './shapes.ts';

const word = z.optional(z.string());
const words = z.optional(z.array(z.string()));

/** The first line of a log, behind a title slot where there is one. */
export const header = z.object({
  type: z.literal('session'),
  version: z.optional(z.literal([1, 2, 3])),
  id: z.string(),
  timestamp,
  cwd: word,
  parentSession: word,
  // Seed 004 and omp.
  title: word,
  titleSource: word,
  additionalDirectories: words,
  previousSessionFiles: words,
  providerPromptCacheKey: word,
  // pi 1.5.
  metadata: anything,
  // Version 1.
  provider: word,
  modelId: word,
  thinkingLevel: word,
  branchedFrom: word,
});

export type Header = z.infer<typeof header>;
