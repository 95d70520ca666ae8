import type { BlockFacts } from '../../formats/format.ts';

/** Limits of providers: the length of the base64 text, and the longer side, which depends on the number of images. */
export const MAX_BASE64 = 5 * 1024 * 1024;
export const MAX_PIXELS = { ofOne: 8_000, ofMany: 2_000, many: 20 };

/** Whether a provider may reject an image, depending on the number of images. */
export function isLarge({ length, width = 0, height = 0 }: NonNullable<BlockFacts['image']>): boolean {
  return length > MAX_BASE64 || Math.max(width, height) > MAX_PIXELS.ofMany;
}
