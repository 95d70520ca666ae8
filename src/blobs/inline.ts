import { isUtf8 } from 'node:buffer';
import { applySplices, type Splice } from '../json/text.ts';
import { DEFAULT_MAX_LINE_BYTES } from '../lines/reader.ts';
import { findImages, mayHoldRef, refAt } from './images.ts';
import { hashOfRef } from './ref.ts';
import type { RefError } from './store.ts';

/** Why a ref stays: what is wrong with it, or what its bytes would do to the line. */
export type Kept = RefError | 'not-a-data-url' | 'line-too-long';

export interface Inlined {
  readonly raw: string;
  readonly moved: number;
  readonly kept: readonly { readonly ref: string; readonly why: Kept }[];
}

/** A whole line with images in place of its refs: the reverse of externalizeLine, byte for byte. */
export function inlineLine(raw: string, from: number, get: (ref: string) => Buffer | RefError): Inlined {
  const splices: Splice[] = [];
  const kept: { ref: string; why: Kept }[] = [];
  let { length } = raw;
  if (!mayHoldRef(raw)) return { raw, moved: 0, kept };
  findImages(raw, from, (image) => {
    const ref = refAt(raw, image);
    if (ref === undefined) return;
    const bytes = hashOfRef(ref) === undefined ? 'bad-blob-ref' : get(ref);
    const content =
      typeof bytes === 'string' ? { why: bytes } : image.kind === 'data' ? bytes.toString('base64') : urlText(bytes);
    if (typeof content !== 'string') kept.push({ ref, why: content.why });
    else if (length + content.length > DEFAULT_MAX_LINE_BYTES) kept.push({ ref, why: 'line-too-long' });
    else {
      length += content.length;
      splices.push({ start: image.start + 1, end: image.end - 1, text: content });
    }
  });
  return { raw: applySplices(raw, splices), moved: splices.length, kept };
}

/** Only what externalize can have put there may go back between the quotes as it is. */
function urlText(bytes: Buffer): string | { readonly why: Kept } {
  const text = bytes.toString('latin1');
  return /^data:/i.test(text) && !/["\\\u0000-\u001f]/.test(text) && isUtf8(bytes) ? text : { why: 'not-a-data-url' };
}
