import { isUtf8 } from 'node:buffer';
import { applySplices, type Splice } from '../json/text.ts';
import { DEFAULT_MAX_LINE_BYTES } from '../lines/reader.ts';
import { findImages, hashOfRef, IMAGE_MARKS, mayHoldRef, refAt, refOf } from './images.ts';
import type { RefError } from './store.ts';

/** Why an image stays in its line. */
export type LeftReason = 'not-canonical' | 'escaped-url' | 'blocked';

export interface ExternalizeOptions {
  /** Base64 shorter than this stays. */
  readonly minChars: number;
  /** Stores the bytes and gives their hash; undefined where that cannot be. */
  readonly put: (bytes: Buffer) => string | undefined;
}

export interface ExternalizedLine {
  readonly raw: string;
  /** Images that are refs now. */
  readonly moved: number;
  readonly left: readonly LeftReason[];
}

/** A whole line with refs in place of its images. Only the strings that are replaced change. */
export function externalizeLine(raw: string, from: number, options: ExternalizeOptions): ExternalizedLine {
  const splices: Splice[] = [];
  const left: LeftReason[] = [];
  if (!IMAGE_MARKS.some((mark) => raw.includes(mark))) return { raw, moved: 0, left };
  findImages(raw, from, (image) => {
    const [start, end] = [image.start + 1, image.end - 1];
    if (refAt(raw, image) !== undefined || (image.kind === 'data' && end - start < options.minChars)) return;
    const text = raw.slice(start, end);
    if (image.kind === 'url' && !/^data:/i.test(text)) return;
    const bytes = image.kind === 'data' ? canonicalBytes(text) : urlBytes(text);
    const hash = bytes && options.put(bytes);
    if (hash) splices.push({ start, end, text: refOf(hash) });
    else left.push(bytes ? 'blocked' : image.kind === 'data' ? 'not-canonical' : 'escaped-url');
  });
  return { raw: applySplices(raw, splices), moved: splices.length, left };
}

/** A few characters are enough to tell most text from base64. */
const PROBE = /^[A-Za-z0-9+/]*={0,2}$/;
const PROBE_LENGTH = 64;

/**
 * The bytes that a piece of raw JSON text encodes, if it is canonical base64: the one spelling that comes out again when
 * the bytes are encoded. Anything else, such as an escape, a line break, the URL alphabet, missing padding or stray bits
 * behind the last byte, is undefined.
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

/** Why a ref stays: what is wrong with it, or what its bytes would do to the line. */
export type KeptReason = RefError | 'not-a-data-url' | 'line-too-long';

export interface InlinedLine {
  readonly raw: string;
  readonly moved: number;
  readonly kept: readonly { readonly ref: string; readonly why: KeptReason }[];
}

/** A whole line with images in place of its refs: the reverse of externalizeLine, byte for byte. */
export function inlineLine(raw: string, from: number, get: (ref: string) => Buffer | RefError): InlinedLine {
  const splices: Splice[] = [];
  const kept: { ref: string; why: KeptReason }[] = [];
  let { length } = raw;
  if (!mayHoldRef(raw)) return { raw, moved: 0, kept };
  const contentOf = (ref: string, kind: 'data' | 'url'): { readonly text: string } | KeptReason => {
    const bytes = hashOfRef(ref) === undefined ? 'bad-blob-ref' : get(ref);
    if (typeof bytes === 'string') return bytes;
    const text = bytes.toString(kind === 'data' ? 'base64' : 'latin1');
    // Only what externalize can have put there may go back between the quotes as it is.
    const isUrl = /^data:/i.test(text) && !/["\\\u0000-\u001f]/.test(text) && isUtf8(bytes);
    if (kind === 'url' && !isUrl) return 'not-a-data-url';
    return length + text.length > DEFAULT_MAX_LINE_BYTES ? 'line-too-long' : { text };
  };
  findImages(raw, from, (image) => {
    const ref = refAt(raw, image);
    if (ref === undefined) return;
    const content = contentOf(ref, image.kind);
    if (typeof content === 'string') kept.push({ ref, why: content });
    else {
      length += content.text.length;
      splices.push({ start: image.start + 1, end: image.end - 1, text: content.text });
    }
  });
  return { raw: applySplices(raw, splices), moved: splices.length, kept };
}
