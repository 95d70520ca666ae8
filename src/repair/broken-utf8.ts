import type { Splice } from '../json/text.ts';

/** U+FFFD in UTF-8, one character a byte. */
const REPLACEMENT = '\u00ef\u00bf\u00bd';

/**
 * The splices that make bytes, held one to a character, valid UTF-8: each sequence that is broken off or never was one
 * becomes U+FFFD, as every decoder of the web does it.
 */
export function mendUtf8(raw: string): Splice[] {
  const splices: Splice[] = [];
  let at = 0;
  while (at < raw.length) {
    const first = raw.charCodeAt(at);
    if (first < 0x80) {
      at++;
      continue;
    }
    const start = at;
    let missing = first < 0xc2 || first > 0xf4 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    // The second byte is narrower for a few first bytes: no overlong forms, no surrogates, nothing above U+10FFFF.
    let lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    let highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    at++;
    while (missing > 0) {
      const code = raw.charCodeAt(at);
      if (!(code >= lowest && code <= highest)) break;
      lowest = 0x80;
      highest = 0xbf;
      missing--;
      at++;
    }
    if (missing !== 0) splices.push({ start, end: at, text: REPLACEMENT });
  }
  return splices;
}
