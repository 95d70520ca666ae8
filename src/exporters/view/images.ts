import type { JsonObject } from '../../json/value.ts';
import { counted } from '../../util/words.ts';
import type { Image } from './item.ts';
import { objectOf, stringOf } from './read.ts';
import { oneLine, type Words } from './words.ts';

/** Pictures that every browser shows and that can hold no script, and how their files are named. */
const IMAGE_TYPES: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/jpg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['image/avif', 'avif'],
  ['image/bmp', 'bmp'],
]);

const BLOB_REF = /^blob:sha256:([0-9a-f]{64})$/;
const WHITE = /\s+/g;

/** What an image block holds. */
export type Picture =
  | { readonly kind: 'data'; readonly type: string; readonly extension: string; readonly base64: string }
  | {
      readonly kind: 'blob';
      readonly type: string;
      readonly extension: string;
      readonly ref: string;
      readonly hash: string;
    }
  /** `ref` is one that names no blob. */
  | { readonly kind: 'none'; readonly about: Words; readonly ref?: string };

export function pictureOf(block: JsonObject): Picture {
  const source = objectOf(block['source']) ?? block;
  const type = (stringOf(source['mimeType']) ?? stringOf(source['media_type']) ?? '').toLowerCase();
  const data = stringOf(source['data']);
  if (data === undefined) return { kind: 'none', about: ['Image without data'] };
  const extension = IMAGE_TYPES.get(type);
  const shownType = { code: oneLine(type === '' ? 'no type' : type, 60) };
  if (extension === undefined) {
    return {
      kind: 'none',
      about: ['Image of type ', shownType, `, not shown, ${counted(data.length, 'character')} of data`],
    };
  }
  const blob = BLOB_REF.exec(data.length < 100 ? data : '');
  if (blob) return { kind: 'blob', type, extension, ref: data, hash: blob[1] ?? '' };
  if (data.startsWith('blob:'))
    return {
      kind: 'none',
      about: ['Image of type ', shownType, ' with a bad ref: ', { code: oneLine(data, 100) }],
      ref: data,
    };
  const base64 = isBase64(data) ? data : data.replace(WHITE, '');
  if (!isBase64(base64))
    return { kind: 'none', about: ['Image of type ', shownType, ' whose data is not base64, not shown'] };
  return { kind: 'data', type, extension, base64 };
}

/** Where base64 is decoded to, for its length alone. */
const decoded = Buffer.allocUnsafeSlow(48 * 1024);
/** Whole groups of four that fit there. */
const PIECE = (decoded.length / 3) * 4;

/**
 * Whether nothing but base64 is in the text, in whole groups of four. The decoder leaves out what does not belong there,
 * so the length of its result shows it; that is many times faster than looking at each character.
 */
function isBase64(text: string): boolean {
  if (text.length === 0 || text.length % 4 !== 0) return false;
  let bytes = 0;
  for (let start = 0; start < text.length; start += PIECE)
    bytes += decoded.write(text.slice(start, start + PIECE), 'base64');
  return bytes === bytesOfBase64(text);
}

function bytesOfBase64(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}

export function embedded(type: string, base64: string): Image {
  return { kind: 'image', url: `data:${type};base64,${base64}`, about: aboutPicture(type, bytesOfBase64(base64)) };
}

function aboutPicture(type: string, bytes: number): Words {
  return [`${type}, ${counted(bytes, 'byte')}`];
}

export function notShown(about: Words): Image {
  return { kind: 'image', url: undefined, about };
}

/** Why a ref could not be resolved. */
type RefError = 'bad-blob-ref' | 'missing-blob' | 'damaged-blob';

export interface ImageStores {
  /** Where refs are resolved; without one they stay refs. */
  readonly blobs: { get(ref: string): Buffer | RefError } | undefined;
  /** Saves an image as a file and gives its address; without it images are embedded. */
  readonly save?: (bytes: Buffer, extension: string) => string;
}

/** How the image of a block is shown; the line is that of its entry. */
export type ImageView = (block: JsonObject, line: number) => Image;

export function imageView(
  { blobs, save }: ImageStores,
  onKept: (line: number, ref: string, why: RefError) => void,
): ImageView {
  const saved = (type: string, extension: string, bytes: Buffer): Image | undefined =>
    save && { kind: 'image', url: save(bytes, extension), about: aboutPicture(type, bytes.length) };
  return (block, line) => {
    const picture = pictureOf(block);
    if (picture.kind === 'none') {
      if (picture.ref !== undefined && blobs) onKept(line, picture.ref, 'bad-blob-ref');
      return notShown(picture.about);
    }
    const { type, extension } = picture;
    if (picture.kind === 'data') {
      return (save && saved(type, extension, Buffer.from(picture.base64, 'base64'))) ?? embedded(type, picture.base64);
    }
    const bytes = blobs?.get(picture.ref);
    if (Buffer.isBuffer(bytes)) return saved(type, extension, bytes) ?? embedded(type, bytes.toString('base64'));
    if (bytes !== undefined) onKept(line, picture.ref, bytes);
    return notShown([`Image of type ${type}: `, { code: picture.ref }]);
  };
}
