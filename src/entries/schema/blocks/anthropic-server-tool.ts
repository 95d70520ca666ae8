import * as z from 'zod';
import { anObject } from '../shapes.ts';

/** omp: a provider's own block, carried as it came. */
export const anthropicServerTool = z
  .looseObject({ type: z.literal('anthropicServerTool'), block: anObject })
  .meta({ id: 'block-anthropicServerTool' });
