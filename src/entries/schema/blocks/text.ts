import * as z from 'zod/mini';
import { described } from '../shapes.ts';

export const text = described(z.object({ type: z.literal('text'), text: z.string(), textSignature: z.optional(z.string()) }), {
  id: 'block-text',
});
