// AssemblyScript, not TypeScript: the envelopes of lines, as src/json/envelope.ts finds them: what they do not need is
// skipped by its quotes and brackets, which takes half the time of the grammar. The numbers here are those of
// src/scanner/layout.ts.
import { skipLine, skipSpace, skipString, stringEnd, stringPlain, stringStart, valueOf } from './bytes';
import {
  AT_ENTRY, AT_MESSAGE, KEY_ID, KEY_MESSAGE, KEY_PARENT, KEY_ROLE, KEY_TYPE, ONCE, findKey, keyAt, keyEnd, roleCode,
  typeCode,
} from './keys';
import { ABSENT, FIELDS, input, MOST_LINES, NULL, records } from './scan';

/** The record of the current line. */
let record: usize = 0;
let codes: i32 = 0;

const EVEN: u64 = 0x5555555555555555;

/** A bit for each of 64 bytes that is this one, where some bits of a byte do not count. */
@inline function bitsOf(at: usize, byte: i8, ignored: i8): u64 {
  const b = i8x16.splat(byte);
  const i = i8x16.splat(ignored);
  const v0 = <u64>i8x16.bitmask(i8x16.eq(v128.or(v128.load(at), i), b));
  const v1 = <u64>i8x16.bitmask(i8x16.eq(v128.or(v128.load(at, 16), i), b));
  const v2 = <u64>i8x16.bitmask(i8x16.eq(v128.or(v128.load(at, 32), i), b));
  const v3 = <u64>i8x16.bitmask(i8x16.eq(v128.or(v128.load(at, 48), i), b));
  return v0 | (v1 << 16) | (v2 << 32) | (v3 << 48);
}

/** Each bit becomes the parity of itself and those below it: from an opening quote to the closing one all are 1. */
@inline function parity(bits: u64): u64 {
  bits ^= bits << 1;
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  return bits ^ (bits << 32);
}

/** Behind a string or a value in brackets; 0 where it does not end on its line. */
function skipNested(at: usize, end: usize): usize {
  const isString = load<u8>(at) == 0x22;
  let depth: i32 = 0;
  /** 1 where the first of the next bytes is escaped. */
  let escape: u64 = 0;
  /** All ones where the next bytes start inside of a string. */
  let inside: u64 = 0;
  for (; at < end; at += 64) {
    let quotes = bitsOf(at, 0x22, 0);
    const backslashes = bitsOf(at, 0x5c, 0);
    if ((backslashes | escape) != 0) {
      // Of a run of backslashes every second one is escaped, and so is what follows a run of odd length.
      const slashes = backslashes & ~escape;
      const follows = (slashes << 1) | escape;
      const odd = slashes & ~EVEN & ~follows;
      const sum = odd + slashes;
      escape = sum < odd ? 1 : 0;
      quotes &= ~((EVEN ^ (sum << 1)) & follows);
    }
    if (isString) {
      if (inside == 0) quotes &= quotes - 1;
      inside = -1;
      if (quotes == 0) continue;
      at += <usize>ctz(quotes) + 1;
      return at <= end ? at : 0;
    }
    if (quotes == 0 && inside != 0) continue;
    const strings = parity(quotes) ^ inside;
    // A backslash between strings is no escape, so the quotes may be others.
    if ((backslashes & ~strings) != 0) return 0;
    inside = <u64>(<i64>strings >> 63);
    const opens = bitsOf(at, 0x7b, 0x20) & ~strings;
    const closes = bitsOf(at, 0x7d, 0x20) & ~strings;
    if (depth > <i32>popcnt(closes)) {
      depth += <i32>popcnt(opens) - <i32>popcnt(closes);
      continue;
    }
    for (let both = opens | closes; both != 0; both &= both - 1) {
      depth += both & (0 - both) & opens ? 1 : -1;
      if (depth != 0) continue;
      at += <usize>ctz(both) + 1;
      return at <= end ? at : 0;
    }
  }
  return 0;
}

/** Behind a value; 0 where there is none. */
function skipAny(at: usize, end: usize): usize {
  let c = <u32>load<u8>(at);
  if (c == 0x22 || (c | 0x20) == 0x7b) return skipNested(at, end);
  const start = at;
  for (; c > 0x20 && c != 0x2c && (c | 0x20) != 0x7d; c = load<u8>(++at)) if (c == 0x22) return 0;
  return at == start ? 0 : at;
}

/** Takes down what a string of the envelope says. False where it is not plain ASCII. */
function takeString(key: i32): bool {
  const length = stringEnd - stringStart;
  if (!stringPlain) return false;
  if (key == KEY_TYPE) codes |= typeCode(stringStart, length);
  else if (key == KEY_ROLE) codes |= roleCode(stringStart, length);
  else {
    const field: usize = key == KEY_ID ? 20 : 28;
    store<i32>(record + field, <i32>(stringStart - input));
    store<i32>(record + field, <i32>length, 4);
  }
  return true;
}

function readMember(at: usize, key: i32, end: usize): usize {
  const first = <u32>load<u8>(at);
  switch (key) {
    case KEY_MESSAGE:
      return first == 0x7b ? readObject(at, AT_MESSAGE, end) : 0;
    case KEY_PARENT:
      if (first == 0x6e) {
        store<i32>(record, NULL, 32);
        return skipAny(at, end);
      }
    case KEY_TYPE:
    case KEY_ID:
    case KEY_ROLE:
      at = first == 0x22 ? skipString(at) : 0;
      return at != 0 && takeString(key) ? at : 0;
  }
  return skipAny(at, end);
}

function readObject(at: usize, place: i32, end: usize): usize {
  /** Of a key that is twice, JSON.parse keeps the last. */
  let seen: u32 = 0;
  for (;;) {
    at = skipSpace(at + 1);
    const slot = load<u8>(at) == 0x22 ? findKey(at) : 0;
    if (slot == 0) return 0;
    const key = keyAt(place, slot);
    const bit: u32 = 1 << key;
    if (seen & bit & ONCE) return 0;
    seen |= bit;
    at = valueOf(keyEnd);
    if (at == 0) return 0;
    // Only a message has a role.
    const isRead = (place == AT_ENTRY) != (key == KEY_ROLE);
    at = isRead ? readMember(at, key, end) : skipAny(at, end);
    if (at == 0) return 0;
    at = skipSpace(at);
    const c = load<u8>(at);
    if (c == 0x7d) return at + 1;
    if (c != 0x2c) return 0;
  }
  return 0;
}

/** Looks at lines from an offset on and gives their number: as many as there is room for. */
export function scanEnvelopes(from: i32, bytes: i32): i32 {
  const end = input + bytes;
  let line: i32 = 0;
  for (let start = input + from; start < end && line < MOST_LINES; line++) {
    const next = skipLine(start);
    const newline = next - 1;
    record = records + line * FIELDS * 4;
    codes = 0;
    store<i32>(record, <i32>(start - input));
    store<i32>(record, <i32>(newline - start), 4);
    store<i32>(record, ABSENT, 24);
    store<i32>(record, ABSENT, 32);
    const open = skipSpace(start);
    const close = load<u8>(open) == 0x7b ? readObject(open, AT_ENTRY, newline) : 0;
    const accepted = close != 0 && skipSpace(close) == newline && (codes & 15) != 0;
    store<i32>(record, accepted ? 1 : 0, 8);
    store<i32>(record, codes, 44);
    start = next;
  }
  return line;
}
