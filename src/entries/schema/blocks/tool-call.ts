import * as z from 'zod/mini';
import { anObject, described, requireOneOf } from '../shapes.ts';

/** Seed 000 spells the arguments `input`. */
export const toolCall = described(
  requireOneOf(
    z.object({
      type: z.literal('toolCall'),
      id: z.string(),
      name: z.string(),
      namespace: z.optional(z.string()),
      arguments: z.optional(anObject),
      input: z.optional(anObject),
      thoughtSignature: z.optional(z.string()),
    }),
    [['arguments'], ['input']],
  ),
  { id: 'block-toolCall' },
);
