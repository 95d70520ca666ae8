import * as z from 'zod';
import { content } from '../blocks/index.ts';
import { anything, timestamp } from '../shapes.ts';

const fields = {
  customType: z.string(),
  content,
  display: z.boolean().optional(),
  details: anything,
  attribution: z.string().optional(),
  timestamp,
};

/** What an extension said. */
export const custom = z.looseObject({ role: z.literal('custom'), ...fields }).meta({ id: 'message-custom' });

/** The name of `custom` before version 3. */
export const hookMessage = z.looseObject({ role: z.literal('hookMessage'), ...fields }).meta({ id: 'message-hookMessage' });
