// AssemblyScript, not TypeScript: where the long strings of lines are. The numbers here are those of
// src/scanner/layout.ts.
import { skipLine, skipString, stringEnd, stringStart } from './bytes';
import { calls, FIELDS, input, MOST_CALLS, MOST_LINES, records } from './scan';

/** They take the place of the calls, of which each has 12 bytes. */
const MOST_TEXTS: i32 = (MOST_CALLS * 12) / 16;
const LONG: usize = 192;
/** So much of a long string stays, and a bit more where it must not be cut. */
const HEAD: usize = 64;

/** A place behind the head of a string that is not inside of an escape or a character; 0 where none is near. */
function cutOf(start: usize, end: usize): usize {
  let slash = start;
  for (let at = start; at < end - HEAD; at++) {
    const c = <u32>load<u8>(at);
    // An escape has up to six bytes.
    if (at >= start + HEAD && (c & 0xc0) != 0x80 && at - slash > 6) return at;
    if (c == 0x5c) slash = at;
  }
  return 0;
}

/** How long a piece of JSON text is as a string of JavaScript. */
function unitsOf(at: usize, end: usize): i32 {
  let units = 0;
  while (at < end) {
    const v = v128.load(at);
    const left = end - at;
    const room: u32 = left < 16 ? (1 << <u32>left) - 1 : 0xffff;
    const slash = <u32>i8x16.bitmask(i8x16.eq(v, i8x16.splat(0x5c))) & room;
    const here: u32 = slash != 0 ? (slash & (0 - slash)) - 1 : room;
    // Each first byte of a character is a unit, and the first of four bytes two.
    const others = <u32>i8x16.bitmask(i8x16.lt_s(v, i8x16.splat(-64)));
    const fours = <u32>i8x16.bitmask(i8x16.ge_u(v, i8x16.splat(<i8>0xf0)));
    units += popcnt(here & ~others) + popcnt(here & fours);
    at += popcnt(here);
    if (slash != 0) {
      units++;
      at += load<u8>(at, 1) == 0x75 ? 6 : 2;
    }
  }
  return units;
}

/** Behind a number. It is suspect where JSON.parse may not give it back as it was: many digits, 1.0, 1e5. */
let suspect: bool = false;
function skipDigits(at: usize): usize {
  let digits = 0;
  let hasPoint = false;
  let last: u32 = 0;
  for (;; at++) {
    const c = <u32>load<u8>(at);
    if (c - 0x30 < 10) {
      if (++digits == 16) suspect = true;
    } else if (c == 0x2e) {
      hasPoint = true;
      digits = 0;
    } else {
      if ((c | 0x20) == 0x65 || (hasPoint && last == 0x30)) suspect = true;
      return at;
    }
    last = c;
  }
  return 0;
}

/** Looks at lines from an offset on and gives their number: as many as there is room for. */
export function scanTexts(from: usize, bytes: usize): i32 {
  const end = input + bytes;
  let at = input + from;
  let count = 0;
  let textCount = 0;
  while (at < end && count < MOST_LINES && textCount < MOST_TEXTS) {
    const start = at;
    const first = textCount;
    let isOdd = false;
    let isSpaced = false;
    suspect = false;
    let before: u32 = 0;
    for (;;) {
      const c = <u32>load<u8>(at);
      if (c == 0x22) {
        const next = skipString(at);
        if (next == 0) {
          isOdd = true;
          break;
        }
        if (stringEnd - stringStart >= LONG && before == 0x3a && textCount < MOST_TEXTS) {
          const cut = cutOf(stringStart, stringEnd);
          if (cut != 0) {
            const text = calls + textCount * 16;
            store<i32>(text, <i32>(stringStart - input));
            store<i32>(text, <i32>(cut - input), 4);
            store<i32>(text, <i32>(stringEnd - input), 8);
            store<i32>(text, unitsOf(cut, stringEnd), 12);
            textCount++;
          }
        }
        at = next;
      } else if (c == 0x0a) break;
      else if (c - 0x30 < 10) at = skipDigits(at);
      else {
        if (c <= 0x20) isSpaced = true;
        at++;
      }
      before = c;
    }
    if (isOdd) {
      textCount = first;
      at = skipLine(at);
    } else at++;
    const record = records + count * FIELDS * 4;
    store<i32>(record, <i32>(start - input));
    store<i32>(record, <i32>(at - 1 - start), 4);
    store<i32>(record, isOdd || suspect ? 1 : 0, 8);
    store<i32>(record, isSpaced ? 1 : 0, 12);
    store<i32>(record, textCount - first, 16);
    count++;
  }
  return count;
}
