// What the program needs of node:buffer, for the build for browsers.
import { Buffer } from 'buffer/';

export { Buffer };

export function isAscii(bytes) {
  return bytes.every((byte) => byte < 0x80);
}

export function isUtf8(bytes) {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
