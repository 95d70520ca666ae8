import * as z from 'zod';

/** `data` is base64 or a blob ref. */
export const image = z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }).meta({ id: 'block-image' });
