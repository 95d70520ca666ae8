import * as z from 'zod/mini';
import { content } from '../blocks/index.ts';
import { anything, entryType } from '../shapes.ts';

/** What an extension says to the model. */
export const customMessage = entryType('custom_message', () => ({
  customType: z.string(),
  content,
  display: z.optional(z.boolean()),
  details: anything,
  attribution: z.optional(z.string()),
}));
