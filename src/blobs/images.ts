import { unquote } from '../json/text.ts';
import { type Frame, pathOf, walkJson } from '../json/walk.ts';
import { decodeUtf8 } from '../lines/line.ts';
import { looksLikeRef } from './ref.ts';

/** A string that holds an image, or the ref that stands for it; quotes included in the span. */
export interface ImageString {
  /** `data`: base64 of an image block. `url`: the text of a data URL. */
  readonly kind: 'data' | 'url';
  readonly start: number;
  readonly end: number;
}

interface Block {
  /** The last `type` of the object, as JSON.parse keeps it; undefined where it has none. */
  type: string | undefined;
  typed: boolean;
  data: { readonly start: number; readonly end: number } | undefined;
}

/**
 * All places of a line where an image may be kept: `data` of image blocks in a `content` array at any depth and of the items
 * of an `images` array, and `image_url`, as a string or as an object with a `url`. The line is one that JSON.parse
 * accepts, as raw bytes.
 */
export function findImages(raw: string, from: number, found: (image: ImageString, path: () => string) => void): void {
  const blocks: Block[] = [];
  walkJson(raw, from, {
    open: (frame) => {
      if (!frame.array) blocks.push({ type: undefined, typed: false, data: undefined });
    },
    string: (frame, start, end) => {
      if (frame.array) return;
      if (isUrlPlace(frame)) found({ kind: 'url', start, end }, () => pathOf(frame));
      const block = blocks.at(-1);
      if (!block) return;
      if (frame.key === 'data') block.data = { start, end };
      else if (frame.key === 'type') {
        block.typed = true;
        block.type = end - start < 64 ? unquote(raw.slice(start, end)) : undefined;
      }
    },
    word: (frame) => {
      if (!frame.array) forget(blocks.at(-1), frame.key);
    },
    close: (frame) => {
      const parent = frame.parent;
      if (!frame.array) {
        const block = blocks.pop();
        if (block?.data && parent && isImage(block, arrayKey(parent))) {
          found({ kind: 'data', ...block.data }, () => `${pathOf(parent)}.data`);
        }
      }
      if (parent && !parent.array) forget(blocks.at(-1), parent.key);
    },
  });
}

/** A later member of the same name takes the place of the earlier one. */
function forget(block: Block | undefined, key: string): void {
  if (!block) return;
  if (key === 'data') block.data = undefined;
  else if (key === 'type') {
    block.typed = true;
    block.type = undefined;
  }
}

/** The key that an array is the value of. */
function arrayKey(frame: Frame): string | undefined {
  return frame.array && frame.parent && !frame.parent.array ? frame.parent.key : undefined;
}

function isImage(block: Block, key: string | undefined): boolean {
  if (key === 'content') return block.type === 'image';
  // What stands under `images` need not say again that it is one.
  return key === 'images' && (block.type === 'image' || !block.typed);
}

function isUrlPlace(frame: Frame): boolean {
  if (frame.key === 'image_url') return true;
  return frame.key === 'url' && frame.parent?.array === false && frame.parent.key === 'image_url';
}

/** Longer than any ref; a longer string is content. */
const LONGEST_REF = 512;

/** The ref that an image's place holds, good or bad; undefined where it holds the image itself. */
export function refAt(raw: string, image: ImageString): string | undefined {
  if (image.end - image.start > LONGEST_REF && !raw.startsWith('"blob:', image.start)) return undefined;
  const quoted = raw.slice(image.start, image.end);
  if (!quoted.includes('\\') && !quoted.startsWith('"blob:')) return undefined;
  const text = unquote(decodeUtf8(quoted));
  return looksLikeRef(text) ? text : undefined;
}

/** A ref in a line, with the path of its place as in `message.content[1].data`. */
export interface LineRef {
  readonly ref: string;
  readonly kind: ImageString['kind'];
  readonly path: string;
}

/** The refs of a line that JSON.parse accepts, good and bad ones, in the order of the line's bytes. */
export function refsOf(raw: string, from = 0): LineRef[] {
  if (!mayHoldRef(raw)) return [];
  const refs: (LineRef & { readonly at: number })[] = [];
  findImages(raw, from, (image, path) => {
    const ref = refAt(raw, image);
    if (ref !== undefined) refs.push({ ref, kind: image.kind, path: path(), at: image.start });
  });
  return refs.sort((a, b) => a.at - b.at).map(({ ref, kind, path }) => ({ ref, kind, path }));
}

/** What every line with a ref, or with an image, has in it; escapes spell letters of these words. */
export const REF_MARKS = ['blob:', '\\u006', '\\u003'];
export const IMAGE_MARKS = ['image', '\\u006'];

/** False only where no ref can be: most lines are done with this one look. */
export function mayHoldRef(raw: string): boolean {
  return REF_MARKS.some((mark) => raw.includes(mark));
}

/** False only where no image can be. */
export function mayHoldImage(raw: string): boolean {
  return IMAGE_MARKS.some((mark) => raw.includes(mark));
}
