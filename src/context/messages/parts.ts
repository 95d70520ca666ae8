import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject } from '../../json/value.ts';

export type TextPart = Readonly<{ type: 'text'; text: string }>;

/** A part of a message, in the shape of Anthropic's API. */
export type ContentPart =
  | TextPart
  | Readonly<{ type: 'image'; source: Readonly<{ type: 'base64'; media_type: string; data: string }> }>;

/** Supported by both providers. */
const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The parts of a content field: text, or a list of blocks. Blank text is left out, because providers reject it. */
export function partsOf(content: unknown): ContentPart[] {
  if (typeof content === 'string') return textPart(content);
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown): ContentPart[] => {
    if (typeof block === 'string') return textPart(block);
    if (!isObject(block)) return [];
    if (block['type'] === 'text') return textPart(stringOf(block['text']));
    return block['type'] === 'image' ? [imagePart(block)] : [];
  });
}

export function textPart(text: string): TextPart[] {
  return isBlank(text) ? [] : [{ type: 'text', text: wellFormed(text) }];
}

/** The image, or a text in its place if providers could not read it. */
function imagePart({ data, mimeType }: JsonObject): ContentPart {
  const words = (text: string): ContentPart => ({ type: 'text', text: `[${text}]` });
  if (typeof data !== 'string' || data === '') return words('An image without data');
  if (data.startsWith('blob:')) return words(`An image that is not available: ${wellFormed(data.slice(0, 100))}`);
  const type = mimeType === 'image/jpg' ? 'image/jpeg' : mimeType;
  if (typeof type !== 'string' || !IMAGE_TYPES.has(type))
    return words(`An image of a type that cannot be sent: ${wellFormed(String(type)).slice(0, 100)}`);
  if (data.length % 4 !== 0 || !BASE64.test(data)) return words('An image whose data is not base64');
  return { type: 'image', source: { type: 'base64', media_type: type, data } };
}

export function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

/** Providers reject lone surrogates; each becomes the replacement character. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** The same for JSON text, where a lone surrogate can only be an escape. */
export function wellFormedJson(text: string): string {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return text;
  return text.replace(/\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..|\\./g, (found) =>
    found.length === 6 && /^\\u[dD][89a-fA-F]/.test(found) ? '\\ufffd' : found,
  );
}

/** A name in characters that every provider accepts. */
export function plainName(name: string, longest: number): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, longest);
}

/** Makes unique ids for tool calls, as providers require: other characters are replaced, repeated ids numbered. */
export function uniqueNames(longest: number): (id: string) => string {
  /** By name: the last number appended to it. */
  const given = new Map<string, number>();
  return (id) => {
    const plain = plainName(id, longest) || 'call';
    let name = plain;
    let number = given.get(plain) ?? 1;
    while (given.has(name)) {
      const ending = `_${++number}`;
      name = `${plain.slice(0, longest - ending.length)}${ending}`;
    }
    given.set(name, 1).set(plain, number);
    return name;
  };
}
