import * as z from 'zod/mini';
import { anObject, described } from '../shapes.ts';

/** omp: a provider's own block, carried as it came. */
export const anthropicServerTool = described(z.object({ type: z.literal('anthropicServerTool'), block: anObject }), {
  id: 'block-anthropicServerTool',
});
