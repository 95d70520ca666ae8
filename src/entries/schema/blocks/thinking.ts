import * as z from 'zod';

export const thinking = z
  .looseObject({ type: z.literal('thinking'), thinking: z.string(), thinkingSignature: z.string().optional() })
  .meta({ id: 'block-thinking' });
