import * as z from 'zod';
import { block } from '../blocks/index.ts';
import { timestamp } from '../shapes.ts';

/** omp: files that the user named, with what they held. */
export const fileMention = z
  .looseObject({
    role: z.literal('fileMention'),
    files: z.array(
      z.looseObject({
        path: z.string(),
        content: z.string().optional(),
        lineCount: z.number().optional(),
        image: block.optional(),
      }),
    ),
    timestamp,
  })
  .meta({ id: 'message-fileMention' });
