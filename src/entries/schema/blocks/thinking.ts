import * as z from 'zod/mini';
import { described } from '../shapes.ts';

export const thinking = described(
  z.object({ type: z.literal('thinking'), thinking: z.string(), thinkingSignature: z.optional(z.string()) }),
  { id: 'block-thinking' },
);
