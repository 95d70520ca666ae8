import { applySplices, type Splice } from '../json/text.ts';
import { canonicalBytes } from './base64.ts';
import { findImages, type ImageString, mayHoldImage, refAt } from './images.ts';
import type { LineLook } from './line-object.ts';
import { refOf } from './ref.ts';

/** Why an image stays in its line. */
export type Left = 'not-canonical' | 'escaped-url' | 'blocked';

export interface ExternalizeOptions {
  /** Base64 shorter than this stays. */
  readonly minChars: number;
  /** Stores the bytes and gives their hash; undefined where that cannot be. */
  readonly put: (bytes: Buffer) => string | undefined;
}

export interface Externalized {
  readonly raw: string;
  /** Images that are refs now. */
  readonly moved: number;
  readonly left: readonly Left[];
}

/** A whole line with refs in place of its images. Only the strings that are replaced change. */
export function externalizeLine(
  raw: string,
  look: Pick<LineLook, 'from' | 'decoded'>,
  options: ExternalizeOptions,
): Externalized {
  const splices: Splice[] = [];
  const left: Left[] = [];
  if (!mayHoldImage(raw)) return { raw, moved: 0, left };
  findImages(raw, look.from, (image) => {
    if (refAt(raw, image) !== undefined) return;
    const bytes = image.kind === 'data' ? dataBytes(raw, image, look.decoded, options.minChars) : urlBytes(raw, image);
    if (bytes === undefined) return;
    const hash = typeof bytes === 'string' ? undefined : options.put(bytes);
    if (typeof bytes === 'string') left.push(bytes);
    else if (hash === undefined) left.push('blocked');
    else splices.push({ start: image.start + 1, end: image.end - 1, text: refOf(hash) });
  });
  return { raw: applySplices(raw, splices), moved: splices.length, left };
}

/** The image's bytes; why it must stay; or undefined where there is nothing to say. */
function dataBytes(
  raw: string,
  { start, end }: ImageString,
  decoded: LineLook['decoded'],
  minChars: number,
): Buffer | Left | undefined {
  if (end - start - 2 < minChars) return undefined;
  return decoded.get(start) ?? canonicalBytes(raw, start + 1, end - 1) ?? 'not-canonical';
}

/** The text of a data URL, which is its own blob whatever it encodes. */
function urlBytes(raw: string, { start, end }: ImageString): Buffer | Left | undefined {
  const text = raw.slice(start + 1, end - 1);
  if (!/^data:/i.test(text)) return undefined;
  return text.includes('\\') ? 'escaped-url' : Buffer.from(text, 'latin1');
}
