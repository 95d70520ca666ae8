import { isUtf8 } from 'node:buffer';
import { hashOfRef, type RefError, refOf } from '../entries/blob-ref.ts';
import { applySplices, type Splice } from '../json/text.ts';
import { DEFAULT_MAX_LINE_BYTES } from '../lines/reader.ts';
import { findImages, IMAGE_MARKS, type ImageString, mayHoldRef, refAt } from './images.ts';

/** The line with other text between the quotes of its images and refs; undefined leaves one as it is. */
function replaceImages(
  raw: string,
  from: number,
  replace: (kind: ImageString['kind'], text: string, ref: string | undefined) => string | undefined,
): { readonly raw: string; readonly moved: number } {
  const splices: Splice[] = [];
  findImages(raw, from, (image) => {
    const [start, end] = [image.start + 1, image.end - 1];
    const text = replace(image.kind, raw.slice(start, end), refAt(raw, image));
    if (text !== undefined) splices.push({ start, end, text });
  });
  return { raw: applySplices(raw, splices), moved: splices.length };
}

/** Why an image stays in its line. */
export type LeftReason = 'not-canonical' | 'escaped-url' | 'blocked';

interface ExternalizeOptions {
  /** Base64 shorter than this stays. */
  readonly minChars: number;
  /** Stores the bytes and gives their hash; undefined where that cannot be. */
  readonly put: (bytes: Buffer) => string | undefined;
}

/** A whole line with refs in place of its images. Only the strings that are replaced change. */
export function externalizeLine(raw: string, from: number, { minChars, put }: ExternalizeOptions) {
  const left: LeftReason[] = [];
  if (!IMAGE_MARKS.some((mark) => raw.includes(mark))) return { raw, moved: 0, left };
  const replaced = replaceImages(raw, from, (kind, text, ref) => {
    const isImage = kind === 'data' ? text.length >= minChars : /^data:/i.test(text);
    if (ref !== undefined || !isImage) return undefined;
    const bytes = kind === 'data' ? canonicalBytes(text) : urlBytes(text);
    const hash = bytes && put(bytes);
    if (hash !== undefined) return refOf(hash);
    left.push(bytes ? 'blocked' : kind === 'data' ? 'not-canonical' : 'escaped-url');
    return undefined;
  });
  return { ...replaced, left };
}

/** A few characters are enough to distinguish most text from base64. */
const PROBE = /^[A-Za-z0-9+/]*={0,2}$/;
const PROBE_LENGTH = 64;

/**
 * The bytes that a piece of raw JSON text encodes, if it is canonical base64: the one spelling that comes out again
 * when the bytes are encoded. Anything else, such as an escape, a line break, the URL alphabet, missing padding or
 * stray bits behind the last byte, is undefined.
 */
export function canonicalBytes(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || !PROBE.test(text.slice(0, PROBE_LENGTH))) return undefined;
  const bytes = Buffer.from(text, 'base64');
  // Decoding is lenient; only the way back shows what was there.
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** The text of a data URL is its own blob, whatever it encodes. */
function urlBytes(text: string): Buffer | undefined {
  return text.includes('\\') ? undefined : Buffer.from(text, 'latin1');
}

/** A ref that stays, and why: what is wrong with it, or what its bytes would do to the line. */
export interface KeptRef {
  readonly ref: string;
  readonly why: RefError | 'not-a-data-url' | 'line-too-long';
}

/** A whole line with images in place of its refs: the reverse of externalizeLine, byte for byte. */
export function inlineLine(raw: string, from: number, get: (ref: string) => Buffer | RefError) {
  const kept: KeptRef[] = [];
  let { length } = raw;
  if (!mayHoldRef(raw)) return { raw, moved: 0, kept };
  const replaced = replaceImages(raw, from, (kind, _text, ref) => {
    if (ref === undefined) return undefined;
    const bytes = hashOfRef(ref) === undefined ? 'bad-blob-ref' : get(ref);
    const text = typeof bytes === 'string' ? '' : bytes.toString(kind === 'data' ? 'base64' : 'latin1');
    const keep = (why: KeptRef['why']): undefined => void kept.push({ ref, why });
    if (typeof bytes === 'string') return keep(bytes);
    // Only what externalize can have put there may go back between the quotes as it is.
    if (kind === 'url' && !(/^data:/i.test(text) && !/["\\\u0000-\u001f]/.test(text) && isUtf8(bytes)))
      return keep('not-a-data-url');
    if (length + text.length > DEFAULT_MAX_LINE_BYTES) return keep('line-too-long');
    length += text.length;
    return text;
  });
  return { ...replaced, kept };
}
