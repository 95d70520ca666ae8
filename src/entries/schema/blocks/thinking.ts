import * as z from 'zod/mini';
import { described, requireOneOf } from '../shapes.ts';

/** pi marks what the provider has encrypted as redacted, and may leave the text out. */
export const thinking = described(
  requireOneOf(
    z.object({
      type: z.literal('thinking'),
      thinking: z.optional(z.string()),
      thinkingSignature: z.optional(z.string()),
      redacted: z.optional(z.boolean()),
    }),
    [['thinking'], ['redacted']],
  ),
  { id: 'block-thinking' },
);
