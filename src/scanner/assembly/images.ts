// AssemblyScript, not TypeScript: compiled to WebAssembly by `npm run scanner`. src/scanner/images-twin.ts does the same in
// plain TypeScript and says what is meant; a test compares the two on very many lines. The numbers are those of images-layout.ts.

import { ends, escapable, escapeCode, haveDigits, join, same } from './blocks';
import { roomAt } from './bytes';

const LINE_FIELDS: i32 = 6;
const MOST_LISTED: i32 = 4096;
const MOST_LONG: i32 = 8192;
const LONG_STRING: usize = 1024;
const LONGEST_REF: usize = 512;
const DEEPEST: i32 = 60;

const UNREAD: i32 = 1;
const IMAGES: i32 = 2;
const REFS: i32 = 4;

const KEY_OTHER: i32 = 0;
const KEY_TYPE: i32 = 1;
const KEY_ROLE: i32 = 2;
const KEY_MESSAGE: i32 = 3;
const KEY_DATA: i32 = 4;
const KEY_URL: i32 = 5;
const KEY_IMAGE_URL: i32 = 6;

// The numbers of a scan, the lines that it lists, their long strings, the bytes.
const totals: usize = (__heap_base + 15) & ~15;
const listed: usize = totals + 16;
const longs: usize = listed + MOST_LISTED * LINE_FIELDS * 4;
const input: usize = longs + MOST_LONG * 12;

// The cursor, the last string, and what is known of the line.
let p: usize = 0;
let stringStart: usize = 0;
let stringEnd: usize = 0;
let stringEscaped: bool = false;
let longCount: i32 = 0;
let marks: i32 = 0;
let urlMarks: i32 = 0;
let hasImageUrl: bool = false;
let hasType: bool = false;
let isMessage: bool = false;
let hasRole: bool = false;
let isOdd: bool = false;

export function totalsAt(): usize {
  return totals;
}

export function listedAt(): usize {
  return listed;
}

export function longsAt(): usize {
  return longs;
}

/** Makes room for so many bytes and tells where they go; 0 where there is none. */
export function reserve(bytes: usize): usize {
  return roomAt(input, bytes);
}

@inline function skipSpace(): void {
  let c = load<u8>(p);
  while (c == 0x20 || c == 0x09 || c == 0x0d) c = load<u8>(++p);
}

@inline function stops(v: v128): v128 {
  return v128.or(ends(v), i8x16.eq(v, i8x16.splat(0x5c)));
}

/** From an opening quote to behind the closing one. False where what stands between is no JSON. */
function skipString(): bool {
  stringStart = p + 1;
  stringEscaped = false;
  const mask = i8x16.bitmask(stops(v128.load(stringStart)));
  if (mask != 0) {
    const at = stringStart + ctz(mask);
    const c = load<u8>(at);
    if (c == 0x22) {
      stringEnd = at;
      p = at + 1;
      return true;
    }
    if (c != 0x5c) return false;
  }
  return skipLong();
}

/** The same, 64 bytes at a time. */
function skipLong(): bool {
  let at = stringStart;
  /** 1 where the byte at hand stands behind a backslash that counts. */
  let carried: u64 = 0;
  let slashes: u64 = 0;
  for (;;) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    const slash = same(a, b, c, d, 0x5c);
    let stop = join(ends(a), ends(b), ends(c), ends(d));
    let escaped: u64 = 0;
    if ((slash | carried) != 0) {
      const codes = escapeCode(slash, carried);
      escaped = codes ^ (slash | carried);
      carried = (codes & slash) >> 63;
      // A control character that is escaped does not end the string, but is found to be no escape.
      stop &= ~escaped;
    }
    // All that stands before the first stop; everything where there is none.
    const before = stop == 0 ? ~(<u64>0) : (stop & (0 - stop)) - 1;
    const inside = escaped & before;
    if (inside != 0) {
      const good = join(escapable(a), escapable(b), escapable(c), escapable(d));
      if ((inside & ~good) != 0) return false;
      if (!haveDigits(at, inside & same(a, b, c, d, 0x75))) return false;
    }
    slashes |= slash & before;
    if (stop != 0) {
      stringEnd = at + <usize>ctz(stop);
      stringEscaped = slashes != 0;
      p = stringEnd + 1;
      return load<u8>(stringEnd) == 0x22;
    }
    at += 64;
  }
  return false;
}

@inline function isDigit(c: u8): bool {
  return <u8>(c - 0x30) < 10;
}

function skipNumber(): bool {
  if (load<u8>(p) == 0x2d) p++;
  let c = load<u8>(p);
  if (!isDigit(c)) return false;
  p++;
  if (c == 0x30) c = load<u8>(p);
  else {
    c = load<u8>(p);
    while (isDigit(c)) c = load<u8>(++p);
  }
  if (c == 0x2e) {
    c = load<u8>(++p);
    if (!isDigit(c)) return false;
    while (isDigit(c)) c = load<u8>(++p);
  }
  if ((c | 0x20) == 0x65) {
    c = load<u8>(++p);
    if (c == 0x2b || c == 0x2d) c = load<u8>(++p);
    if (!isDigit(c)) return false;
    while (isDigit(c)) c = load<u8>(++p);
  }
  return true;
}

/** A number, true, false or null. */
@inline function skipWord(c: u8): bool {
  if (c == 0x74) {
    if (load<u32>(p) != 0x65757274) return false;
    p += 4;
    return true;
  }
  if (c == 0x66) {
    if (load<u32>(p + 1) != 0x65736c61) return false;
    p += 5;
    return true;
  }
  if (c == 0x6e) {
    if (load<u32>(p) != 0x6c6c756e) return false;
    p += 4;
    return true;
  }
  return skipNumber();
}

function keyOf(): i32 {
  const at = stringStart;
  switch (<i32>(stringEnd - at)) {
    case 3:
      return load<u16>(at) == 0x7275 && load<u8>(at, 2) == 0x6c ? KEY_URL : KEY_OTHER;
    case 4: {
      const word = load<u32>(at);
      if (word == 0x65707974) return KEY_TYPE;
      if (word == 0x656c6f72) return KEY_ROLE;
      return word == 0x61746164 ? KEY_DATA : KEY_OTHER;
    }
    case 7:
      return load<u32>(at) == 0x7373656d && load<u32>(at + 3) == 0x65676173 ? KEY_MESSAGE : KEY_OTHER;
    case 9:
      return load<u64>(at) == 0x72755f6567616d69 && load<u8>(at, 8) == 0x6c ? KEY_IMAGE_URL : KEY_OTHER;
  }
  return KEY_OTHER;
}

/** The type of the entry. */
function takeType(): void {
  const at = stringStart;
  const length = stringEnd - at;
  hasType = true;
  if (length == 7 && load<u32>(at) == 0x7373656d && load<u32>(at + 3) == 0x65676173) isMessage = true;
  else if (!(length == 6 && load<u32>(at) == 0x74737563 && load<u16>(at + 4) == 0x6d6f)) isOdd = true;
}

/** The role of the message. */
function takeRole(): void {
  const at = stringStart;
  hasRole = true;
  switch (<i32>(stringEnd - at)) {
    case 4:
      if (load<u32>(at) == 0x72657375) return;
      break;
    case 9:
      if (load<u64>(at) == 0x6e61747369737361 && load<u8>(at, 8) == 0x74) return;
      break;
    case 10:
      if (load<u64>(at) == 0x757365526c6f6f74 && load<u16>(at + 8) == 0x746c) return;
      break;
  }
  isOdd = true;
}

/** A string in a place where an image may stand. False where there is no room to tell of it. */
function takeImage(url: bool): bool {
  const length = stringEnd - stringStart;
  const ref = length >= 5 && load<u32>(stringStart) == 0x626f6c62 && load<u8>(stringStart, 4) == 0x3a;
  const mark = ref ? REFS : stringEscaped && length <= LONGEST_REF ? IMAGES | REFS : IMAGES;
  if (url) urlMarks |= mark;
  else marks |= mark;
  if (length < LONG_STRING) return true;
  if (longCount >= MOST_LONG) return false;
  const long = longs + longCount * 12;
  store<i32>(long, <i32>(stringStart - input));
  store<i32>(long, <i32>length, 4);
  store<i32>(long, !stringEscaped && isBase64(stringStart, stringEnd) ? 1 : 0, 8);
  longCount++;
  return true;
}

/** The letters, digits, plus and slash. */
@inline function inAlphabet(v: v128): v128 {
  const letter = i8x16.le_u(i8x16.sub(v128.or(v, i8x16.splat(0x20)), i8x16.splat(0x61)), i8x16.splat(25));
  // The slash stands just before the digits.
  const digit = i8x16.le_u(i8x16.sub(v, i8x16.splat(0x2f)), i8x16.splat(10));
  return v128.or(v128.or(letter, digit), i8x16.eq(v, i8x16.splat(0x2b)));
}

@inline function sextet(c: u8): u32 {
  if (<u8>(c - 0x41) < 26) return c - 0x41;
  if (<u8>(c - 0x61) < 26) return c - 0x47;
  return isDigit(c) ? <u32>c + 4 : c == 0x2b ? 62 : 63;
}

/** Whether the bytes are the one spelling of what they encode. At least 16 of them. */
function isBase64(start: usize, end: usize): bool {
  if (((end - start) & 3) != 0) return false;
  const padding: usize = load<u8>(end - 1) != 0x3d ? 0 : load<u8>(end - 2) != 0x3d ? 1 : 2;
  const last = end - padding;
  let at = start;
  for (; at + 16 <= last; at += 16) if (i8x16.bitmask(inAlphabet(v128.load(at))) != 0xffff) return false;
  if (at < last && i8x16.bitmask(inAlphabet(v128.load(last - 16))) != 0xffff) return false;
  // Bits behind the last byte must be none.
  if (padding == 0) return true;
  return (sextet(load<u8>(last - 1)) & (padding == 1 ? 3 : 15)) == 0;
}

/** Decodes base64 in its one right spelling from one place in memory to another; gives the number of bytes. */
export function decode(start: usize, end: usize, target: usize): i32 {
  const rolls = i8x16(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
  const order = i8x16(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  let at = start;
  let to = target;
  // The last characters may be padding.
  for (; at + 20 <= end; at += 16) {
    const v = v128.load(at);
    // What a character stands for lies a fixed way from it within each sixteen; only the slash has its own.
    const row = i8x16.add(i8x16.shr_u(v, 4), i8x16.eq(v, i8x16.splat(0x2f)));
    const sextets = i8x16.add(v, i8x16.swizzle(rolls, row));
    const pairs = v128.or(i16x8.shl(v128.and(sextets, i16x8.splat(0xff)), 6), i16x8.shr_u(sextets, 8));
    const fours = v128.or(i32x4.shl(v128.and(pairs, i32x4.splat(0xffff)), 12), i32x4.shr_u(pairs, 16));
    v128.store(to, i8x16.swizzle(fours, order));
    to += 12;
  }
  for (; at < end; at += 4) {
    const c = load<u8>(at, 2);
    const d = load<u8>(at, 3);
    let bits = (sextet(load<u8>(at)) << 18) | (sextet(load<u8>(at, 1)) << 12);
    if (c != 0x3d) bits |= sextet(c) << 6;
    if (d != 0x3d) bits |= sextet(d);
    store<u8>(to, bits >> 16);
    store<u8>(to, bits >> 8, 1);
    store<u8>(to, bits, 2);
    to += c == 0x3d ? 1 : d == 0x3d ? 2 : 3;
  }
  return <i32>(to - target);
}

/** Whether the line at hand is a JSON object; marks and facts are left behind. */
function readLine(): bool {
  let depth: i32 = 0;
  /** A bit for each object or array that is open, the innermost last: 1 for an object. */
  let objects: u64 = 0;
  let inMessage = false;
  let key: i32 = KEY_OTHER;
  if (load<u8>(p) != 0x7b) return false;
  for (;;) {
    // A value comes next.
    const c = load<u8>(p);
    let opened = false;
    if (c == 0x22) {
      if (!skipString()) return false;
      if (key != KEY_OTHER) {
        if (key == KEY_DATA) {
          if (!takeImage(false)) return false;
        } else if (key == KEY_TYPE) {
          if (depth == 1) takeType();
        } else if (key == KEY_ROLE) {
          if (depth == 2 && inMessage) takeRole();
        } else if (key >= KEY_URL) {
          if (!takeImage(key == KEY_URL)) return false;
        }
      }
    } else if (c == 0x7b) {
      if (depth == DEEPEST) return false;
      if (depth == 1) inMessage = key == KEY_MESSAGE;
      depth++;
      objects = (objects << 1) | 1;
      p++;
      skipSpace();
      opened = load<u8>(p) != 0x7d;
    } else if (c == 0x5b) {
      if (depth == DEEPEST) return false;
      depth++;
      objects <<= 1;
      p++;
      skipSpace();
      if (load<u8>(p) != 0x5d) {
        key = KEY_OTHER;
        continue;
      }
    } else {
      if (!skipWord(c)) return false;
      // What gives away who wrote the log is a string, so anything else in its place says nothing.
    }
    // What follows a value; a closing bracket makes a value of what it closes.
    if (!opened) {
      for (;;) {
        let next = load<u8>(p);
        if (next <= 0x20) {
          skipSpace();
          next = load<u8>(p);
        }
        if (next == 0x2c) {
          p++;
          skipSpace();
          break;
        }
        if (next != ((objects & 1) != 0 ? 0x7d : 0x5d)) return false;
        p++;
        objects >>= 1;
        if (--depth == 0) return true;
      }
      if ((objects & 1) == 0) {
        key = KEY_OTHER;
        continue;
      }
    }
    // A key.
    if (load<u8>(p) != 0x22 || !skipString()) return false;
    if (stringEscaped) isOdd = true;
    key = keyOf();
    if (key == KEY_IMAGE_URL) hasImageUrl = true;
    if (load<u8>(p) != 0x3a) {
      skipSpace();
      if (load<u8>(p) != 0x3a) return false;
    }
    p++;
    skipSpace();
  }
  return false;
}

/** Behind the newline that ends the line at hand; every block ends with one. */
function skipLine(): void {
  for (;;) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(0x0a)));
    if (mask != 0) {
      p += ctz(mask) + 1;
      return;
    }
    p += 16;
  }
}

/** What the line at hand is marked with; the cursor is behind its newline afterwards. */
function lineMarks(): i32 {
  marks = 0;
  urlMarks = 0;
  hasImageUrl = false;
  hasType = false;
  isMessage = false;
  hasRole = false;
  isOdd = false;
  const firstLong = longCount;
  skipSpace();
  if (load<u8>(p) == 0x0a) {
    p++;
    return 0;
  }
  const start = p;
  if (readLine()) {
    skipSpace();
    if (load<u8>(p) == 0x0a) {
      p++;
      if (!isOdd && hasType && (!isMessage || hasRole)) return hasImageUrl ? marks | urlMarks : marks;
      longCount = firstLong;
      return UNREAD;
    }
  }
  longCount = firstLong;
  // The reading never went past the newline, but it may have stopped anywhere before it.
  p = start;
  skipLine();
  return UNREAD;
}

/**
 * Goes through the lines from a place in memory on and lists those with one of the wanted marks. Gives how many it listed;
 * the totals tell how many lines it went through, and where it stopped for want of room, or at the end.
 */
export function scan(from: usize, end: usize, wanted: i32): i32 {
  let count: i32 = 0;
  let lines: i32 = 0;
  p = from;
  longCount = 0;
  while (p < end && count < MOST_LISTED && longCount < MOST_LONG / 2) {
    const start = p;
    const firstLong = longCount;
    const found = lineMarks() & (wanted | UNREAD);
    if (found != 0) {
      const line = listed + count * LINE_FIELDS * 4;
      store<i32>(line, <i32>(start - input));
      store<i32>(line, <i32>(p - start) - 1, 4);
      store<i32>(line, lines, 8);
      store<i32>(line, found, 12);
      store<i32>(line, firstLong, 16);
      store<i32>(line, longCount - firstLong, 20);
      count++;
    } else longCount = firstLong;
    lines++;
  }
  store<i32>(totals, lines);
  store<i32>(totals, <i32>(p - input), 4);
  return count;
}
