import * as z from 'zod/mini';
import { content } from '../blocks/index.ts';
import { entryType, orNull } from '../shapes.ts';

/** pi: what the model sees of an earlier entry; null removes it. */
export const contextEdit = entryType('context_edit', () => ({
  targetId: z.string(),
  replacement: orNull(z.object({ content })),
}));
