/** The size of an image in pixels. */
interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Enough for all headers but JPEG's. */
const HEAD = 40;
/** A JPEG has few segments before its size; the limit protects against malicious files. */
const MAX_SEGMENTS = 256;

/** The size of a PNG, JPEG, GIF or WebP from its first bytes, given as base64; undefined for anything else. */
export function imageSize(base64: string): ImageSize | undefined {
  const head = bytesAt(base64, 0, HEAD);
  if (head.length < 10) return undefined;
  const text = head.toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n') && head.length >= 24)
    return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (text.startsWith('GIF8')) return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8) && head.length >= 30) return webpSize(head, text);
  return text.startsWith('\xff\xd8') ? jpegSize(base64) : undefined;
}

function webpSize(head: Buffer, text: string): ImageSize | undefined {
  if (text.startsWith('VP8X', 12)) return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  if (text.startsWith('VP8 ', 12))
    return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  if (!text.startsWith('VP8L', 12)) return undefined;
  const bits = head.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** The size is in the start-of-frame segment, after segments that may contain another picture. */
function jpegSize(base64: string): ImageSize | undefined {
  let at = 2;
  for (let n = 0; n < MAX_SEGMENTS; n++) {
    const segment = bytesAt(base64, at, 9);
    if (segment.length < 9 || segment[0] !== 0xff) return undefined;
    const marker = segment[1] as number;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: segment.readUInt16BE(7), height: segment.readUInt16BE(5) };
    // A marker may have fill bytes before it, and some have no length.
    if (marker === 0xff) at++;
    else at += 2 + (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7) ? 0 : segment.readUInt16BE(2));
  }
  return undefined;
}

/** Some of the bytes in a base64 text; fewer at its end. */
function bytesAt(base64: string, start: number, length: number): Buffer {
  const group = Math.floor(start / 3);
  const skipped = start % 3;
  const groups = Math.ceil((skipped + length) / 3);
  return Buffer.from(base64.slice(group * 4, (group + groups) * 4), 'base64').subarray(skipped, skipped + length);
}
