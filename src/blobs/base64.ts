/** A few characters are enough to tell most text from base64. */
const PROBE = /^[A-Za-z0-9+/]*={0,2}$/;
const PROBE_LENGTH = 64;

/**
 * The bytes that a piece of raw JSON text stands for, if it is canonical base64: the one spelling that comes out again
 * when the bytes are encoded. Anything else, such as an escape, a line break, the URL alphabet, missing padding or
 * stray bits behind the last byte, is undefined.
 */
export function canonicalBytes(raw: string, start: number, end: number): Buffer | undefined {
  const length = end - start;
  if (length % 4 !== 0 || !PROBE.test(raw.slice(start, Math.min(end, start + PROBE_LENGTH)))) return undefined;
  const text = raw.slice(start, end);
  const bytes = Buffer.from(text, 'base64');
  // Decoding is lenient; only the way back shows what was there.
  return bytes.toString('base64') === text ? bytes : undefined;
}
