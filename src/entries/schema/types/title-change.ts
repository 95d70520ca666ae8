import * as z from 'zod';
import { entryType } from '../shapes.ts';

/** omp: the session got another title. */
export const titleChange = entryType('title_change', {
  title: z.string(),
  previousTitle: z.string().optional(),
  source: z.string().optional(),
  trigger: z.string().optional(),
});
