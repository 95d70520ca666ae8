import { applySplices, type Splice } from '../json/text.ts';
import { canonicalBytes } from './base64.ts';
import { findImages, type ImageString, mayHoldImage, refAt } from './images.ts';
import type { LineLook } from './line-object.ts';
import { refOf } from './ref.ts';
import { type LongString, type Piece, piecesOf, type ThinLine } from './thin-line.ts';

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
export function externalizeLine(raw: string, look: Pick<LineLook, 'from' | 'decoded'>, options: ExternalizeOptions): Externalized {
  const { splices, left } = findMoves(raw, look.from, options, (image) => {
    const decoded = look.decoded.get(image.start);
    return { ...stringAt(raw, image), ...(decoded ? { decoded: () => decoded } : {}) };
  });
  return { raw: applySplices(raw, splices), moved: splices.length, left };
}

/** The same for a line whose images were left out. */
export function externalizeThin(line: ThinLine, options: ExternalizeOptions): Omit<Externalized, 'raw'> & { readonly pieces: Piece[] } {
  const { splices, left } = findMoves(line.text, 0, options, (image) => line.long.get(image.start) ?? stringAt(line.text, image));
  return { pieces: piecesOf(line, splices), moved: splices.length, left };
}

function findMoves(
  text: string,
  from: number,
  options: ExternalizeOptions,
  contentOf: (image: ImageString) => LongString,
): { readonly splices: readonly Splice[]; readonly left: readonly Left[] } {
  const splices: Splice[] = [];
  const left: Left[] = [];
  if (!mayHoldImage(text)) return { splices, left };
  findImages(text, from, (image) => {
    if (refAt(text, image) !== undefined) return;
    const content = contentOf(image);
    const bytes = image.kind === 'data' ? dataBytes(content, options.minChars) : urlBytes(content);
    if (bytes === undefined) return;
    const hash = typeof bytes === 'string' ? undefined : options.put(bytes);
    if (typeof bytes === 'string') left.push(bytes);
    else if (hash === undefined) left.push('blocked');
    else splices.push({ start: image.start + 1, end: image.end - 1, text: refOf(hash) });
  });
  return { splices, left };
}

function stringAt(text: string, { start, end }: ImageString): LongString {
  return {
    length: end - start - 2,
    content: () => text.slice(start + 1, end - 1),
    decoded: () => canonicalBytes(text, start + 1, end - 1),
  };
}

/** The image's bytes; why it must stay; or undefined where there is nothing to say. */
function dataBytes(content: LongString, minChars: number): Buffer | Left | undefined {
  return content.length < minChars ? undefined : (content.decoded() ?? 'not-canonical');
}

/** The text of a data URL, which is its own blob whatever it encodes. */
function urlBytes(content: LongString): Buffer | Left | undefined {
  const piece = content.content();
  const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
  if (!/^data:/i.test(bytes.toString('latin1', 0, 5))) return undefined;
  return bytes.includes('\\') ? 'escaped-url' : bytes;
}
