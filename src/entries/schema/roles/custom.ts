import * as z from 'zod/mini';
import { content } from '../blocks/index.ts';
import { anything, described, timestamp } from '../shapes.ts';

const fields = {
  customType: z.string(),
  content,
  display: z.optional(z.boolean()),
  details: anything,
  attribution: z.optional(z.string()),
  timestamp,
};

/** What an extension said. */
export const custom = described(z.object({ role: z.literal('custom'), ...fields }), { id: 'message-custom' });

/** The name of `custom` before version 3. */
export const hookMessage = described(z.object({ role: z.literal('hookMessage'), ...fields }), { id: 'message-hookMessage' });
