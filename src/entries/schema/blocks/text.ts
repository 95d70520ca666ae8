import * as z from 'zod';

export const text = z
  .looseObject({ type: z.literal('text'), text: z.string(), textSignature: z.string().optional() })
  .meta({ id: 'block-text' });
