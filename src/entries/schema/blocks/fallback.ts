import * as z from 'zod/mini';
import { anything, described } from '../shapes.ts';

/** omp: the turn went on with another model. */
export const fallback = described(z.object({ type: z.literal('fallback'), from: anything, to: anything }), { id: 'block-fallback' });
