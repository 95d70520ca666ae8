import { unquote } from '../json/text.ts';
import { type Frame, pathOf, walkJson } from '../json/walk.ts';
import { decodeUtf8 } from '../lines/line.ts';

interface ImageSpan {
  readonly start: number;
  readonly end: number;
}

/** A string that holds an image, or its ref; quotes included in the span. */
export interface ImageString extends ImageSpan {
  /** `data`: base64 of an image block. `url`: the text of a data URL. */
  readonly kind: 'data' | 'url';
}

/**
 * All places of a line where an image may be kept: `data` of image blocks in a `content` array at any depth and of the
 * items of an `images` array, and `image_url`, as a string or as an object with a `url`. The line is one that
 * JSON.parse accepts, as raw bytes.
 */
export function findImages(raw: string, from: number, found: (image: ImageString, path: () => string) => void): void {
  /** Of each open object its `type` and `data`, the last ones as JSON.parse keeps them; undefined for no string. */
  const blocks: Map<string, ImageSpan | undefined>[] = [];
  const keep = (frame: Frame, value: ImageSpan | undefined): void => {
    if (!frame.array && (frame.key === 'data' || frame.key === 'type')) blocks.at(-1)?.set(frame.key, value);
  };
  walkJson(raw, from, {
    open: (frame) => {
      if (!frame.array) blocks.push(new Map());
    },
    string: (frame, start, end) => {
      if (isUrlPlace(frame)) found({ kind: 'url', start, end }, () => pathOf(frame));
      keep(frame, { start, end });
    },
    word: (frame) => keep(frame, undefined),
    close: (frame) => {
      const { parent } = frame;
      const block = frame.array ? undefined : blocks.pop();
      if (!parent) return;
      const data = block?.get('data');
      const type = block?.get('type');
      const isImage = type && type.end - type.start < 64 && unquote(raw.slice(type.start, type.end)) === 'image';
      // What is under `images` need not say again that it is one.
      if (data && (isImage ? isUnder(parent, 'content', 'images') : !block?.has('type') && isUnder(parent, 'images')))
        found({ kind: 'data', ...data }, () => `${pathOf(parent)}.data`);
      keep(parent, undefined);
    },
  });
}

/** Whether the walk is in an array that is the value of one of these keys. */
function isUnder(frame: Frame, ...keys: readonly string[]): boolean {
  return frame.array && frame.parent?.array === false && keys.includes(frame.parent.key);
}

function isUrlPlace(frame: Frame): boolean {
  if (frame.array) return false;
  return (
    frame.key === 'image_url' ||
    (frame.key === 'url' && frame.parent?.array === false && frame.parent.key === 'image_url')
  );
}

/** Longer than any ref; a longer string is content. */
const LONGEST_REF = 512;

/** The ref that an image's place holds, good or bad; undefined where it holds the image itself. */
export function refAt(raw: string, { start, end }: ImageSpan): string | undefined {
  const isPlain = raw.startsWith('"blob:', start);
  if (!isPlain && end - start > LONGEST_REF) return undefined;
  const quoted = raw.slice(start, end);
  if (!isPlain && !quoted.includes('\\')) return undefined;
  const text = unquote(decodeUtf8(quoted));
  return text.startsWith('blob:') ? text : undefined;
}

/** A ref in a line, with the path of its place as in `message.content[1].data`. */
export interface LineRef {
  readonly ref: string;
  readonly path: string;
}

/** The refs of a line that JSON.parse accepts, good and bad ones, in the order of the line's bytes. */
export function refsOf(raw: string, from = 0): LineRef[] {
  if (!mayHoldRef(raw)) return [];
  const refs: (LineRef & { readonly at: number })[] = [];
  findImages(raw, from, (image, path) => {
    const ref = refAt(raw, image);
    if (ref !== undefined) refs.push({ ref, path: path(), at: image.start });
  });
  return refs.sort((a, b) => a.at - b.at);
}

/** What every line with a ref, or with an image, has in it; escapes spell letters of these words. */
const REF_MARKS = ['blob:', '\\u006', '\\u003'];
export const IMAGE_MARKS = ['image', '\\u006'];

/** False only where no ref can be: most lines are done with this one look. */
export function mayHoldRef(raw: string): boolean {
  return REF_MARKS.some((mark) => raw.includes(mark));
}
