// AssemblyScript, not TypeScript: compiled to WebAssembly by `npm run scanner`. Finds the long strings of a line of JSON and
// counts what is in them. The numbers are those of src/scanner/strings.ts; a test compares it with JSON.parse on very many lines.

import { ends, escapable, escapeCode, haveDigits, join, same } from './blocks';
import { roomAt } from './bytes';

const FIELDS: i32 = 5;
const MOST_STRINGS: i32 = 64;

const PLAIN: i32 = 1;
const CODES: i32 = 2;

// The strings of a line, the bytes.
const found: usize = (__heap_base + 15) & ~15;
const input: usize = found + MOST_STRINGS * FIELDS * 4;

// The cursor, and the last string that took more than a look.
let p: usize = 0;
let stringStart: usize = 0;
let stringEnd: usize = 0;
let characters: i32 = 0;
let newlines: i32 = 0;
let flags: i32 = 0;

export function foundAt(): usize {
  return found;
}

/** Makes room for so many bytes and tells where they go; 0 where there is none. */
export function reserve(bytes: usize): usize {
  return roomAt(input, bytes);
}

/** From behind an opening quote to behind the closing one, with all counts. False where what stands between is no JSON. */
function takeString(): bool {
  stringStart = p;
  let at = p;
  /** 1 where the byte at hand stands behind a backslash that counts. */
  let carried: u64 = 0;
  /** Bytes that begin no character of their own. */
  let parts: i64 = 0;
  let lines: i64 = 0;
  let codes: u64 = 0;
  let odd: u64 = 0;
  for (;;) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    const slash = same(a, b, c, d, 0x5c);
    const high = join(a, b, c, d);
    let stop = join(ends(a), ends(b), ends(c), ends(d));
    let escaped: u64 = 0;
    if ((slash | carried) != 0) {
      const starts = escapeCode(slash, carried);
      escaped = starts ^ (slash | carried);
      carried = (starts & slash) >> 63;
      // A control character that is escaped does not end the string, but is found to be no escape.
      stop &= ~escaped;
    }
    // All that stands before the first stop; everything where there is none.
    const before = stop == 0 ? ~(<u64>0) : (stop & (0 - stop)) - 1;
    const inside = escaped & before;
    if (inside != 0) {
      const good = join(escapable(a), escapable(b), escapable(c), escapable(d));
      if ((inside & ~good) != 0) return false;
      parts += popcnt(inside);
      lines += popcnt(inside & same(a, b, c, d, 0x6e));
      const long = inside & same(a, b, c, d, 0x75);
      if (!haveDigits(at, long)) return false;
      codes |= long;
      parts += popcnt(long) << 2;
    }
    if ((high & before) != 0) {
      const rest = i8x16.splat(-64);
      const goesOn = join(i8x16.lt_s(a, rest), i8x16.lt_s(b, rest), i8x16.lt_s(c, rest), i8x16.lt_s(d, rest));
      const four = i8x16.splat(-16);
      const pairs = join(i8x16.ge_u(a, four), i8x16.ge_u(b, four), i8x16.ge_u(c, four), i8x16.ge_u(d, four));
      parts += popcnt(goesOn & before) - popcnt(pairs & before);
    }
    odd |= (slash | high) & before;
    if (stop != 0) {
      stringEnd = at + <usize>ctz(stop);
      p = stringEnd + 1;
      characters = <i32>(<i64>(stringEnd - stringStart) - parts);
      newlines = <i32>lines;
      flags = (odd == 0 ? PLAIN : 0) | (codes != 0 ? CODES : 0);
      return load<u8>(stringEnd) == 0x22;
    }
    at += 64;
  }
  return false;
}

/** Whether the string was a key. */
@inline function isKey(): bool {
  let at = p;
  let c = load<u8>(at);
  while (c == 0x20 || c == 0x09 || c == 0x0d) c = load<u8>(++at);
  return c == 0x3a;
}

/**
 * Lists the values of a line that are strings of at least so many bytes and tells how many there are; -1 where the line is
 * no JSON because of one of its strings, or has too many of them. What stands between strings is not looked at. At `end`
 * stands a newline.
 */
export function find(start: usize, end: usize, least: i32): i32 {
  const quote = i8x16.splat(0x22);
  let count: i32 = 0;
  p = start;
  for (;;) {
    let quotes = i8x16.bitmask(i8x16.eq(v128.load(p), quote));
    while (quotes == 0) {
      p += 16;
      if (p >= end) return count;
      quotes = i8x16.bitmask(i8x16.eq(v128.load(p), quote));
    }
    p += ctz(quotes) + 1;
    if (p > end) return count;
    // Most strings are short and hold nothing that needs a second look.
    const v = v128.load(p);
    const stops = i8x16.bitmask(v128.or(ends(v), i8x16.eq(v, i8x16.splat(0x5c))));
    if (stops != 0 && load<u8>(p + ctz(stops)) == 0x22) {
      p += ctz(stops) + 1;
      continue;
    }
    if (!takeString()) return -1;
    if (<i32>(stringEnd - stringStart) < least || isKey()) continue;
    if (count == MOST_STRINGS) return -1;
    const string = found + count * FIELDS * 4;
    store<i32>(string, <i32>stringStart);
    store<i32>(string, <i32>(stringEnd - stringStart), 4);
    store<i32>(string, characters, 8);
    store<i32>(string, newlines, 12);
    store<i32>(string, flags, 16);
    count++;
  }
  return -1;
}
