import { hashOfRef, type RefError } from '../../entries/blob-ref.ts';
import { asString, isObject, type JsonObject } from '../../json/value.ts';
import { counted } from '../../util/words.ts';
import type { Image, RichText } from '../exporter.ts';
import { oneLine } from '../text.ts';

/** Pictures that every browser shows and that can hold no script. */
const IMAGE_TYPE = /^image\/(png|jpe?g|gif|webp|avif|bmp)$/;

interface ImageStores {
  /** Where refs are resolved; without one they stay refs. */
  readonly blobs: { get(ref: string): Buffer | RefError } | undefined;
  /** Saves an image as a file and gives its address; without it images are embedded. */
  readonly save?: ((bytes: Buffer, extension: string) => string) | undefined;
  /** Called with each ref that could not be resolved. */
  readonly onKept: (line: number, ref: string, why: RefError) => void;
}

/** How the image of a block is shown; the line is that of its entry. */
export type ImageView = (block: JsonObject, line: number) => Image;

export function imageView({ blobs, save, onKept }: ImageStores): ImageView {
  return (block, line) => {
    const source = isObject(block['source']) ? block['source'] : block;
    const type = (asString(source['mimeType']) ?? asString(source['media_type']) ?? '').toLowerCase();
    const data = asString(source['data']);
    if (data === undefined) return notShown(['Image without data']);
    const what: RichText = ['Image of type ', { code: oneLine(type === '' ? 'no type' : type, 60) }];
    const extension = IMAGE_TYPE.exec(type)?.[1]?.replace('jpeg', 'jpg');
    if (extension === undefined)
      return notShown([...what, `, not shown, ${counted(data.length, 'character')} of data`]);
    const shown = (base64: string, bytes?: Buffer): Image => ({
      kind: 'image',
      url: save ? save(bytes ?? Buffer.from(base64, 'base64'), extension) : `data:${type};base64,${base64}`,
      about: [`${type}, ${counted(Buffer.byteLength(base64, 'base64'), 'byte')}`],
    });
    if (data.startsWith('blob:')) {
      const isRef = hashOfRef(data) !== undefined;
      const blob = isRef ? blobs?.get(data) : blobs && 'bad-blob-ref';
      if (Buffer.isBuffer(blob)) return shown(blob.toString('base64'), blob);
      if (blob !== undefined) onKept(line, data, blob);
      if (isRef) return notShown([`Image of type ${type}: `, { code: data }]);
      return notShown([...what, ' with a bad ref: ', { code: oneLine(data, 100) }]);
    }
    if (isBase64(data)) return shown(data);
    const base64 = data.replace(/\s+/g, '');
    return isBase64(base64) ? shown(base64) : notShown([...what, ' whose data is not base64, not shown']);
  };
}

export function notShown(about: RichText): Image {
  return { kind: 'image', url: undefined, about };
}

/** Whether nothing but base64 is in the text, of either alphabet, in whole groups of four. */
function isBase64(text: string): boolean {
  return text !== '' && text.length % 4 === 0 && /^[\w+/-]*={0,2}$/.test(text);
}
