import { counted } from '../../base/words.ts';
import { isObject, type JsonObject } from '../../json/value.ts';
import type { Image } from './item.ts';
import { objectOf, stringOf } from './read.ts';
import { oneLine, type Words } from './words.ts';

/** Pictures that every browser shows and that can hold no script, and how their files are named. */
export const IMAGE_TYPES: ReadonlyMap<string, string> = new Map([
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
  | { readonly kind: 'blob'; readonly type: string; readonly extension: string; readonly ref: string; readonly hash: string }
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
    return { kind: 'none', about: ['Image of type ', shownType, `, not shown, ${counted(data.length, 'character')} of data`] };
  }
  const blob = BLOB_REF.exec(data.length < 100 ? data : '');
  if (blob) return { kind: 'blob', type, extension, ref: data, hash: blob[1] ?? '' };
  if (data.startsWith('blob:'))
    return { kind: 'none', about: ['Image of type ', shownType, ' with a bad ref: ', { code: oneLine(data, 100) }], ref: data };
  const base64 = isBase64(data) ? data : data.replace(WHITE, '');
  if (!isBase64(base64)) return { kind: 'none', about: ['Image of type ', shownType, ' whose data is not base64, not shown'] };
  return { kind: 'data', type, extension, base64 };
}

/** Where base64 is decoded to, for its length alone. */
const decoded = Buffer.allocUnsafeSlow(48 * 1024);
/** Whole groups of four that fit there. */
const PIECE = (decoded.length / 3) * 4;

/**
 * Whether nothing but base64 is in the text, in whole groups of four. The decoder leaves out what does not belong there,
 * so the length of what it gives tells; it is many times faster than looking at each character.
 */
function isBase64(text: string): boolean {
  if (text.length === 0 || text.length % 4 !== 0) return false;
  let bytes = 0;
  for (let start = 0; start < text.length; start += PIECE) bytes += decoded.write(text.slice(start, start + PIECE), 'base64');
  return bytes === bytesOfBase64(text);
}

export function bytesOfBase64(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor((base64.length * 3) / 4) - padding;
}

export function embedded(type: string, base64: string): Image {
  return { kind: 'image', url: `data:${type};base64,${base64}`, about: aboutPicture(type, bytesOfBase64(base64)) };
}

export function aboutPicture(type: string, bytes: number): Words {
  return [`${type}, ${counted(bytes, 'byte')}`];
}

export function notShown(about: Words): Image {
  return { kind: 'image', url: undefined, about };
}

/** The image blocks of an entry, wherever they may stand. */
export function imagesIn(entry: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const { message, replacement } = entry;
  collect(entry['content'], found);
  if (isObject(replacement)) collect(replacement['content'], found);
  if (isObject(message)) {
    collect(message['content'], found);
    if (Array.isArray(message['files'])) {
      for (const file of message['files']) if (isObject(file)) collect([file['image']], found);
    }
  }
  return found;
}

function collect(content: unknown, into: JsonObject[]): void {
  if (!Array.isArray(content)) return;
  for (const block of content) if (isObject(block) && block['type'] === 'image') into.push(block);
}
