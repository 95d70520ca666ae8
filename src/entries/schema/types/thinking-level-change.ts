import * as z from 'zod';
import { entryType, orNull } from '../shapes.ts';

/** omp writes null, or leaves the level out, where thinking is off. */
export const thinkingLevelChange = entryType('thinking_level_change', {
  thinkingLevel: orNull(z.string()).optional(),
  configured: orNull(z.string()).optional(),
});
