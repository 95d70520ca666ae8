import * as z from 'zod';
import { anything } from '../shapes.ts';

/** omp: the turn went on with another model. */
export const fallback = z.looseObject({ type: z.literal('fallback'), from: anything, to: anything }).meta({ id: 'block-fallback' });
