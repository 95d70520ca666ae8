import * as z from 'zod/mini';
import { entryType, orNull } from '../shapes.ts';

/** omp writes null, or leaves the level out, where thinking is off. */
export const thinkingLevelChange = entryType('thinking_level_change', () => ({
  thinkingLevel: z.optional(orNull(z.string())),
  configured: z.optional(orNull(z.string())),
}));
