import { describe, expect, it } from 'vitest';
import { imageSize } from '../../src/util/image-size.ts';

const sizeOf = (...parts: (string | number[])[]) =>
  imageSize(Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1'))).toString('base64'));

const filler = new Array<number>(24).fill(0);

describe('the size of an image', () => {
  it('is in the header of a PNG', () => {
    const header = [0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
    expect(sizeOf('\x89PNG\r\n\x1a\n', header, [0, 0, 0x1f, 0x41, 0, 0, 0, 7], filler)).toEqual({
      width: 8001,
      height: 7,
    });
  });

  it('is in the header of a GIF', () => {
    expect(sizeOf('GIF89a', [0x40, 0x1f, 2, 0], filler)).toEqual({ width: 8000, height: 2 });
  });

  it.each([0, 1, 2])('is in the frame of a JPEG, behind a thumbnail %i bytes beyond a multiple of 3', (more) => {
    const thumbnail = [0xff, 0xe1, 0x03, more + 2, ...new Array<number>(0x300 + more).fill(0xc0)];
    const table = [0xff, 0xc4, 0, 4, 1, 2];
    expect(sizeOf([0xff, 0xd8], thumbnail, [0xff], table, [0xff, 0xc2, 0, 11, 8, 0x0b, 0xb8, 0x0f, 0xa0])).toEqual({
      width: 4000,
      height: 3000,
    });
  });

  it.each([
    ['VP8X', [10, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0x1f, 0, 0x1f, 0, 0]],
    ['VP8 ', [10, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 0x1f, 0x20, 0]],
    ['VP8L', [10, 0, 0, 0, 0x2f, 0x3f, 0xdf, 0x07, 0]],
  ])('is in the header of a WebP of the kind %s', (kind, bytes) => {
    expect(sizeOf('RIFF', [0, 0, 0, 0], `WEBP${kind}`, bytes, filler)).toEqual({ width: 8000, height: 32 });
  });

  it('is not known of anything else, nor of an image that ends too early', () => {
    expect(sizeOf('%PDF-1.7', filler)).toBeUndefined();
    expect(sizeOf('\x89PNG\r\n\x1a\n', [0, 0])).toBeUndefined();
    expect(sizeOf([0xff, 0xd8], [0xff, 0xe1, 0xff, 0xff], filler)).toBeUndefined();
    expect(sizeOf('RIFF', [0, 0, 0, 0], 'WEBPVP9 ', filler)).toBeUndefined();
    expect(imageSize('')).toBeUndefined();
  });
});
