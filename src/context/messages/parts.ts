import { isObject, type JsonObject } from '../../json/value.ts';

/** A piece of what someone said, in no provider's terms. */
export type ContentPart = TextPart | ImagePart;

export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
}

export interface ImagePart {
  readonly kind: 'image';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** What both providers take. */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The parts of a content field: text, or a list of blocks. Blank text is no part, for the providers refuse it. */
export function partsOf(content: unknown): ContentPart[] {
  if (typeof content === 'string') return textPart(content);
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    isObject(block) ? partOf(block) : typeof block === 'string' ? textPart(block) : [],
  );
}

export function textPart(text: string): TextPart[] {
  return isBlank(text) ? [] : [{ kind: 'text', text: wellFormed(text) }];
}

function partOf(block: JsonObject): ContentPart[] {
  if (block['type'] === 'text' && typeof block['text'] === 'string') return textPart(block['text']);
  return block['type'] === 'image' ? [imagePart(block)] : [];
}

/** The image, or words in its place where the providers could not read it. */
export function imagePart(block: JsonObject): ContentPart {
  const { data, mimeType } = block;
  if (typeof data !== 'string' || data === '') return { kind: 'text', text: '[An image without data]' };
  if (data.startsWith('blob:'))
    return { kind: 'text', text: `[An image that is not available: ${wellFormed(data.slice(0, 100))}]` };
  const type = mimeType === 'image/jpg' ? 'image/jpeg' : mimeType;
  if (typeof type !== 'string' || !IMAGE_TYPES.has(type)) {
    return {
      kind: 'text',
      text: `[An image of a type that cannot be sent: ${wellFormed(String(type)).slice(0, 100)}]`,
    };
  }
  return data.length % 4 === 0 && BASE64.test(data)
    ? { kind: 'image', data, mimeType: type }
    : { kind: 'text', text: '[An image whose data is not base64]' };
}

export function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

/** Half a surrogate pair is no text for a provider; it becomes the replacement character. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** The same in JSON text, where such a half can only be an escape. */
export function wellFormedJson(text: string): string {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return text;
  return text.replace(/\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..|\\./g, (found) =>
    found.length === 6 && /^\\u[dD][89a-fA-F]/.test(found) ? '\\ufffd' : found,
  );
}
