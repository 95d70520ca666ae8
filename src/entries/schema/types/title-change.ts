import * as z from 'zod/mini';
import { entryType } from '../shapes.ts';

/** omp: the session got another title. */
export const titleChange = entryType('title_change', () => ({
  title: z.string(),
  previousTitle: z.optional(z.string()),
  source: z.optional(z.string()),
  trigger: z.optional(z.string()),
}));
