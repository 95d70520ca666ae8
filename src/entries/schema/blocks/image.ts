import * as z from 'zod/mini';
import { described } from '../shapes.ts';

/** `data` is base64 or a blob ref. */
export const image = described(z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }), { id: 'block-image' });
