// AssemblyScript, not TypeScript: compiled to WebAssembly by `npm run scanner`. A test compares it with JSON.parse and the
// schemas on very many lines. The numbers here are those of src/scanner/layout.ts.
import { roomAt, skipLine, wordAt } from './bytes';

const FIELDS: i32 = 16;
const MOST_LINES: i32 = 8192;
const MOST_CALLS: i32 = 32768;
const DEEPEST: i32 = 64;
const LONG_STRING: usize = 500000;
const ABSENT: i32 = -1;
const NULL: i32 = -2;

// Kinds of values, as they enter the hash.
const KIND_STRING: u32 = 1;
const KIND_EMPTY: u32 = 2;
const KIND_LONG: u32 = 3;
const KIND_NUMBER: u32 = 4;
const KIND_TRUE: u32 = 5;
const KIND_FALSE: u32 = 6;
const KIND_NULL: u32 = 7;
const KIND_OBJECT: u32 = 8;
const KIND_ARRAY: u32 = 9;

// Where in an entry a value stands.
const AT_OTHER: i32 = 0;
const AT_ENTRY: i32 = 1;
const AT_MESSAGE: i32 = 2;
const AT_CONTENT: i32 = 3;
const AT_BLOCK: i32 = 4;
const AT_OPAQUE: i32 = 5;
const AT_DATA: i32 = 6;

// Keys that mean something at their place.
const KEY_NONE: i32 = 0;
const KEY_TYPE: i32 = 1;
const KEY_ID: i32 = 2;
const KEY_PARENT: i32 = 3;
const KEY_TIME: i32 = 4;
const KEY_MESSAGE: i32 = 5;
const KEY_ROLE: i32 = 6;
const KEY_STOP: i32 = 7;
const KEY_RESULT: i32 = 8;
const KEY_CONTENT: i32 = 9;
const KEY_OPAQUE: i32 = 10;
const KEY_TRANSIENT: i32 = 11;

const ANYWHERE: i32 = -1;
/** Keys that stand in an object once. */
const ONCE: u32 = ~((1 << KEY_NONE) | (1 << KEY_OPAQUE));

const TYPE_MESSAGE: i32 = 1;
const TYPE_CUSTOM: i32 = 2;
const TYPE_MODEL: i32 = 3;
const TYPE_THINKING: i32 = 4;
const ROLE_USER: i32 = 1 << 4;
const ROLE_ASSISTANT: i32 = 2 << 4;
const ROLE_RESULT: i32 = 3 << 4;
const ROLE_UNKNOWN: i32 = 15 << 4;
const CUT_TURN: i32 = 1 << 8;

// Keys of up to 15 bytes that were met before, each in the slot that its text leads to: 16 bytes of text and its length, the two
// halves of its hash, what it means and where. Behind them the slot of a long key, which is not found again.
const KEY_BITS: i32 = 12;
const keys: usize = (__heap_base + 15) & ~15;
const longKey: usize = keys + (32 << KEY_BITS);
/** Sixteen bytes of ones and sixteen of zeros. */
const masks: usize = longKey + 32;
const records: usize = masks + 32;
const calls: usize = records + (MOST_LINES * FIELDS * 4);
/** Where the outline of a line is written, a little past its end too. */
const outlined: usize = calls + (MOST_CALLS * 12);
const LONGEST_OUTLINED: i32 = 65536;
const input: usize = outlined + LONGEST_OUTLINED + 16;

let seedA: u32 = 0;
let seedB: u32 = 0;

// The last value's hash, the last string. The cursor is handed from function to function, for a global one would be read
// and written at every step; 0 stands for a line that is left to whoever reads it in full.
let hashA: u32 = 0;
let hashB: u32 = 0;
let stringStart: usize = 0;
let stringEnd: usize = 0;
let stringPlain: bool = true;

// Facts of the line at hand.
let idStart: i32 = 0;
let idLength: i32 = 0;
let parentStart: i32 = 0;
let parentLength: i32 = 0;
let resultStart: i32 = 0;
let resultLength: i32 = 0;
let codes: i32 = 0;
let day: i32 = 0;
let millisecond: i32 = 0;
let hasTime: bool = false;
let callCount: i32 = 0;
let blockIsCall: bool = false;
let blockIdStart: i32 = 0;
let blockIdLength: i32 = 0;

export function recordsAt(): usize {
  return records;
}

export function callsAt(): usize {
  return calls;
}

export function seed(a: u32, b: u32): void {
  seedA = a;
  seedB = b;
  // No text is all ones: its length is not.
  memory.fill(keys, 0xff, 32 << KEY_BITS);
  memory.fill(masks, 0xff, 16);
}

/** Makes room for so many bytes and tells where they go; 0 where there is none. */
export function reserve(bytes: usize): usize {
  return roomAt(input, bytes);
}

@inline function mixA(h: u32, word: u32): u32 {
  const m = (h ^ word) * 0x9e3779b1;
  return m ^ (m >>> 15);
}

@inline function mixB(h: u32, word: u32): u32 {
  const m = (h ^ word) * 0x85ebca77;
  return m ^ (m >>> 13);
}

/** Space, tab and return, as bits. */
const SPACES: u64 = (<u64>1 << 0x20) | (<u64>1 << 0x09) | (<u64>1 << 0x0d);

@inline function skipSpace(at: usize): usize {
  // Nearly always there is none.
  for (let c = <u32>load<u8>(at); c <= 0x20 && (SPACES >>> c) & 1; c = <u32>load<u8>(at)) at++;
  return at;
}

/** Mixes a short text into the last value's hash. */
@inline function mixText(start: usize, end: usize): void {
  let a = hashA;
  let b = hashB;
  for (let at = start; at < end; at += 4) {
    const word = wordAt(at, end);
    a = mixA(a, word);
    b = mixB(b, word);
  }
  hashA = mixA(a, <u32>(end - start));
  hashB = mixB(b, <u32>(end - start));
}

@inline function isHex(c: u32): bool {
  return (c - 0x30 < 10) || ((c | 0x20) - 0x61 < 6);
}

@inline function stops(v: v128): v128 {
  return v128.or(
    v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))),
    i8x16.le_u(v, i8x16.splat(0x1f)),
  );
}

/** From an opening quote to behind the closing one. 0 where the string is none, or holds half of a surrogate pair. */
function skipString(at: usize): usize {
  at++;
  stringStart = at;
  let plain = true;
  // Any byte above 0x7f shows in its highest bit.
  let high = i8x16.splat(0);
  for (;;) {
    let v = v128.load(at);
    let mask = i8x16.bitmask(stops(v));
    if (mask == 0) {
      high = v128.or(high, v);
      at += 16;
      v = v128.load(at);
      mask = i8x16.bitmask(stops(v));
      if (mask == 0) {
        high = v128.or(high, v);
        at += 16;
        // It is a long one.
        for (;;) {
          const v0 = v128.load(at);
          const v1 = v128.load(at, 16);
          const v2 = v128.load(at, 32);
          const v3 = v128.load(at, 48);
          if (v128.any_true(v128.or(v128.or(stops(v0), stops(v1)), v128.or(stops(v2), stops(v3))))) break;
          high = v128.or(high, v128.or(v128.or(v0, v1), v128.or(v2, v3)));
          at += 64;
        }
        continue;
      }
    }
    const skip = ctz(mask);
    if (i8x16.bitmask(v) & ((1 << skip) - 1)) plain = false;
    at += skip;
    const c = <u32>load<u8>(at);
    if (c == 0x22) {
      stringEnd = at;
      stringPlain = plain && i8x16.bitmask(high) == 0;
      return at + 1;
    }
    if (c != 0x5c) return 0;
    plain = false;
    const e = <u32>load<u8>(at + 1);
    if (e == 0x75) {
      const first = <u32>load<u8>(at + 2);
      const second = <u32>load<u8>(at + 3);
      if (!isHex(first) || !isHex(second) || !isHex(load<u8>(at + 4)) || !isHex(load<u8>(at + 5))) return 0;
      // Surrogates, paired or not: whoever reads the line in full looks at them.
      if ((first | 0x20) == 0x64 && (second >= 0x38 && second != 0x3a)) return 0;
      at += 6;
    } else {
      // " \ / b f n r t
      if (e != 0x6e && e != 0x22 && e != 0x5c && e != 0x2f && e != 0x62 && e != 0x66 && e != 0x72 && e != 0x74) return 0;
      at += 2;
    }
  }
  return 0;
}

/** Numbers with an exponent, which may be infinite, and very long ones are left to JSON.parse. */
function skipNumber(at: usize): usize {
  const start = at;
  let c = <u32>load<u8>(at);
  if (c == 0x2d) c = <u32>load<u8>(++at);
  if (c == 0x30) c = <u32>load<u8>(++at);
  else {
    if (c - 0x31 > 8) return 0;
    do {
      c = <u32>load<u8>(++at);
    } while (c - 0x30 < 10);
  }
  if (c == 0x2e) {
    c = <u32>load<u8>(++at);
    if (c - 0x30 > 9) return 0;
    do {
      c = <u32>load<u8>(++at);
    } while (c - 0x30 < 10);
  }
  if ((c | 0x20) == 0x65) return 0;
  return at - start < 200 ? at : 0;
}

@inline function is4(at: usize, word: u32): bool {
  return load<u32>(at) == word;
}

/** Which of the keys that mean something a key is, and as bits the places where it means it. */
function meaningOf(start: usize, length: usize): u32 {
  switch (<i32>length) {
    case 2:
      if (load<u16>(start) == 0x6469) return meaning(KEY_ID, (1 << AT_ENTRY) | (1 << AT_BLOCK));
      break;
    case 4:
      // type, role, data
      if (is4(start, 0x65707974)) return meaning(KEY_TYPE, ANYWHERE);
      if (is4(start, 0x656c6f72)) return meaning(KEY_ROLE, ANYWHERE);
      if (is4(start, 0x61746164)) return meaning(KEY_OPAQUE, ANYWHERE);
      break;
    case 5:
      // input
      if (is4(start, 0x75706e69) && load<u8>(start + 4) == 0x74) return meaning(KEY_OPAQUE, ANYWHERE);
      break;
    case 7:
      // message, content, details
      if (is4(start, 0x7373656d) && is4(start + 3, 0x65676173)) return meaning(KEY_MESSAGE, 1 << AT_ENTRY);
      if (is4(start, 0x746e6f63) && is4(start + 3, 0x746e6574)) return meaning(KEY_CONTENT, 1 << AT_MESSAGE);
      if (is4(start, 0x61746564) && is4(start + 3, 0x736c6961)) return meaning(KEY_OPAQUE, ANYWHERE);
      break;
    case 8:
      // parentId
      if (is4(start, 0x65726170) && is4(start + 4, 0x6449746e)) return meaning(KEY_PARENT, 1 << AT_ENTRY);
      break;
    case 9:
      // timestamp, arguments
      if (is4(start, 0x656d6974) && is4(start + 4, 0x6d617473) && load<u8>(start + 8) == 0x70) return meaning(KEY_TIME, 1 << AT_ENTRY);
      if (is4(start, 0x75677261) && is4(start + 4, 0x746e656d) && load<u8>(start + 8) == 0x73) return meaning(KEY_OPAQUE, ANYWHERE);
      break;
    case 10:
      // stopReason, toolCallId
      if (is4(start, 0x706f7473) && is4(start + 4, 0x73616552) && load<u16>(start + 8) == 0x6e6f) return meaning(KEY_STOP, 1 << AT_MESSAGE);
      if (is4(start, 0x6c6f6f74) && is4(start + 4, 0x6c6c6143) && load<u16>(start + 8) == 0x6449) return meaning(KEY_RESULT, 1 << AT_MESSAGE);
      break;
    case 11:
      // partialJson, jsonlEvents
      if (is4(start, 0x74726170) && is4(start + 4, 0x4a6c6169) && is4(start + 7, 0x6e6f734a)) return meaning(KEY_TRANSIENT, ANYWHERE);
      if (is4(start, 0x6e6f736a) && is4(start + 4, 0x6576456c) && is4(start + 7, 0x73746e65)) return meaning(KEY_TRANSIENT, ANYWHERE);
      break;
  }
  return meaning(KEY_NONE, 0);
}

@inline function meaning(key: i32, places: i32): u32 {
  return <u32>((places << 8) | key);
}

@inline function digit(at: usize): i32 {
  return <i32>load<u8>(at) - 0x30;
}

@inline function twoDigits(at: usize): i32 {
  const tens = digit(at);
  const ones = digit(at + 1);
  return <u32>tens < 10 && <u32>ones < 10 ? tens * 10 + ones : -1;
}

/** The one spelling that agents write, 2026-01-31T23:59:59.999Z; any other is left to whoever reads the line in full. */
function readTime(start: usize, end: usize): bool {
  if (end - start != 24) return false;
  const century = twoDigits(start);
  const yearOfCentury = twoDigits(start + 2);
  const month = twoDigits(start + 5);
  const dayOfMonth = twoDigits(start + 8);
  const hour = twoDigits(start + 11);
  const minute = twoDigits(start + 14);
  const second = twoDigits(start + 17);
  const hundreds = digit(start + 20);
  const rest = twoDigits(start + 21);
  if (century < 0 || yearOfCentury < 0 || rest < 0 || <u32>hundreds > 9) return false;
  if (load<u8>(start + 4) != 0x2d || load<u8>(start + 7) != 0x2d || load<u8>(start + 10) != 0x54) return false;
  if (load<u8>(start + 13) != 0x3a || load<u8>(start + 16) != 0x3a || load<u8>(start + 19) != 0x2e || load<u8>(start + 23) != 0x5a) return false;
  if (month < 1 || month > 12 || dayOfMonth < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false;
  const year = century * 100 + yearOfCentury;
  const leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const longest = month == 2 ? (leap ? 29 : 28) : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  if (dayOfMonth > longest) return false;
  // Days since 1970 by counting years from March.
  const shifted = month > 2 ? year : year - 1;
  const era = (shifted >= 0 ? shifted : shifted - 399) / 400;
  const yearOfEra = shifted - era * 400;
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1;
  day = era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
  millisecond = ((hour * 60 + minute) * 60 + second) * 1000 + hundreds * 100 + rest;
  hasTime = true;
  return true;
}

/** model_change */
function isModelChange(start: usize, length: usize): bool {
  return length == 12 && is4(start, 0x65646f6d) && is4(start + 4, 0x68635f6c) && is4(start + 8, 0x65676e61);
}

/** thinking_level_change */
function isThinkingChange(start: usize, length: usize): bool {
  if (length != 21 || !is4(start, 0x6e696874) || !is4(start + 4, 0x676e696b) || !is4(start + 8, 0x76656c5f)) return false;
  return is4(start + 12, 0x635f6c65) && is4(start + 16, 0x676e6168) && load<u8>(start + 20) == 0x65;
}

/** Takes down what a key's string means. False where it is not plain ASCII, or not as expected. */
function takeString(place: i32, key: i32): bool {
  const start = stringStart;
  const length = stringEnd - start;
  const at = <i32>(start - input);
  switch (key) {
    case KEY_TYPE:
      if (!stringPlain || length > 64) return false;
      if (place == AT_ENTRY) {
        if (length == 7 && is4(start, 0x7373656d) && is4(start + 3, 0x65676173)) codes |= TYPE_MESSAGE;
        else if (length == 6 && is4(start, 0x74737563) && load<u16>(start + 4) == 0x6d6f) codes |= TYPE_CUSTOM;
        else if (isModelChange(start, length)) codes |= TYPE_MODEL;
        else if (isThinkingChange(start, length)) codes |= TYPE_THINKING;
        else return false;
      } else if (place == AT_BLOCK) blockIsCall = length == 8 && is4(start, 0x6c6f6f74) && is4(start + 4, 0x6c6c6143);
      mixText(start, stringEnd);
      return true;
    case KEY_ROLE:
      if (!stringPlain || length > 64) return false;
      if (place == AT_MESSAGE) {
        if (length == 4 && is4(start, 0x72657375)) codes |= ROLE_USER;
        else if (length == 9 && is4(start, 0x69737361) && is4(start + 4, 0x6e617473) && load<u8>(start + 8) == 0x74) codes |= ROLE_ASSISTANT;
        else if (length == 10 && is4(start, 0x6c6f6f74) && is4(start + 4, 0x75736552) && load<u16>(start + 8) == 0x746c) codes |= ROLE_RESULT;
        else codes |= ROLE_UNKNOWN;
      }
      mixText(start, stringEnd);
      return true;
    case KEY_ID:
      if (!stringPlain) return false;
      if (place == AT_ENTRY) {
        idStart = at;
        idLength = <i32>length;
      } else {
        blockIdStart = at;
        blockIdLength = <i32>length;
      }
      return true;
    case KEY_PARENT:
      if (!stringPlain) return false;
      parentStart = at;
      parentLength = <i32>length;
      return true;
    case KEY_RESULT:
      if (!stringPlain) return false;
      resultStart = at;
      resultLength = <i32>length;
      return true;
    case KEY_TIME:
      return readTime(start, stringEnd);
    case KEY_STOP:
      if (!stringPlain) return false;
      // aborted, error
      if (length == 7 && is4(start, 0x726f6261) && is4(start + 3, 0x64657472)) codes |= CUT_TURN;
      else if (length == 5 && is4(start, 0x6f727265) && load<u8>(start + 4) == 0x72) codes |= CUT_TURN;
      return true;
  }
  return true;
}

function skipObject(at: usize, place: i32, depth: i32): usize {
  if (depth >= DEEPEST) return 0;
  let a = mixA(seedA, KIND_OBJECT);
  let b = mixB(seedB, KIND_OBJECT);
  let seen: u32 = 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == 0x7d) {
    hashA = a;
    hashB = b;
    return at + 1;
  }
  if (load<u8>(at) != 0x22) return 0;
  for (;;) {
    // Nearly every key is short and was met before, so it has no escape.
    const length = shortLength(at);
    const text = shortText(at, length);
    let slot = slotOf(text);
    if (v128.any_true(v128.xor(text, v128.load(slot)))) {
      slot = readKey(at, text, slot);
      if (slot == 0) return 0;
      at = stringEnd + 1;
    } else at += length + 2;
    const meaning = load<u32>(slot, 24);
    const key = (meaning >>> place) & 0x100 ? <i32>(meaning & 0xff) : KEY_NONE;
    if (place != AT_OPAQUE) {
      a = mixA(a, load<u32>(slot, 16));
      b = mixB(b, load<u32>(slot, 20));
      // Of a key that stands twice, JSON.parse keeps the last.
      const bit: u32 = 1 << key;
      if (seen & bit & ONCE) return 0;
      seen |= bit;
    }
    if (key == KEY_TRANSIENT) return 0;
    if (load<u8>(at) != 0x3a) {
      at = skipSpace(at);
      if (load<u8>(at) != 0x3a) return 0;
    }
    at = skipSpace(at + 1);
    at = skipMember(at, place, key, depth);
    if (at == 0) return 0;
    if (place != AT_OPAQUE) {
      a = mixA(a, hashA);
      b = mixB(b, hashB);
    }
    if (load<u8>(at) != 0x2c) {
      at = skipSpace(at);
      // Never behind the newline of a line that ends too early.
      if (load<u8>(at) == 0x7d) break;
      if (load<u8>(at) != 0x2c) return 0;
    }
    at++;
    if (load<u8>(at) != 0x22) {
      at = skipSpace(at);
      if (load<u8>(at) != 0x22) return 0;
    }
  }
  hashA = mixA(a, KIND_NULL);
  hashB = mixB(b, KIND_NULL);
  return at + 1;
}

/** From a quote to the next one; 16 where that is not among the next 16 bytes. */
@inline function shortLength(at: usize): usize {
  return <usize>ctz(i8x16.bitmask(i8x16.eq(v128.load(at + 1), i8x16.splat(0x22))) | 0x10000);
}

/** So many bytes behind a quote, zeros, and last how many there are: no two texts are alike, not even if one ends with zeros itself. */
@inline function shortText(at: usize, length: usize): v128 {
  return i8x16.replace_lane(v128.and(v128.load(at + 1), v128.load(masks + 16 - length)), 15, <i8>length);
}

@inline function slotOf(text: v128): usize {
  const folded = i64x2.extract_lane(text, 0) ^ rotl(i64x2.extract_lane(text, 1), 23);
  return keys + (<usize>((folded * 0x9e3779b97f4a7c15) >>> (64 - KEY_BITS)) << 5);
}

/** A key that was not met lately, in full. Gives the slot that tells of it; 0 where it is no key, or may be any one. */
function readKey(at: usize, text: v128, slotOfText: usize): usize {
  if (skipString(at) == 0 || (!stringPlain && hasEscape(stringStart, stringEnd))) return 0;
  const length = stringEnd - stringStart;
  const slot = length < 16 ? slotOfText : longKey;
  if (length < 16) v128.store(slot, text);
  hashA = seedA;
  hashB = seedB;
  mixText(stringStart, stringEnd);
  store<u32>(slot, hashA, 16);
  store<u32>(slot, hashB, 20);
  store<u32>(slot, meaningOf(stringStart, length), 24);
  return slot;
}

function hasEscape(start: usize, end: usize): bool {
  for (let at = start; at < end; at++) if (load<u8>(at) == 0x5c) return true;
  return false;
}

/** A member's value, and what it means under its key. */
function skipMember(at: usize, place: i32, key: i32, depth: i32): usize {
  if (place == AT_OPAQUE || key == KEY_NONE) return skipValue(at, place == AT_OPAQUE ? AT_OPAQUE : AT_OTHER, depth);
  const first = load<u8>(at);
  if (key == KEY_OPAQUE) return skipValue(at, first == 0x22 ? AT_DATA : AT_OPAQUE, depth);
  if (first == 0x22) {
    at = skipValue(at, AT_OTHER, depth);
    return at != 0 && takeString(place, key) ? at : 0;
  }
  if (key == KEY_MESSAGE) return skipValue(at, AT_MESSAGE, depth);
  if (key == KEY_CONTENT) return skipValue(at, AT_CONTENT, depth);
  // Facts that are no strings: a parent may be null, all else is left to whoever reads the line in full.
  if (key == KEY_PARENT && first == 0x6e) {
    parentLength = NULL;
    return skipValue(at, AT_OTHER, depth);
  }
  if (place == AT_ENTRY || place == AT_MESSAGE || place == AT_BLOCK) return 0;
  return skipValue(at, AT_OTHER, depth);
}

function skipArray(at: usize, place: i32, depth: i32): usize {
  if (depth >= DEEPEST) return 0;
  let a = mixA(seedA, KIND_ARRAY);
  let b = mixB(seedB, KIND_ARRAY);
  let lastA: u32 = 0;
  let lastB: u32 = 0;
  let index: i32 = 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == 0x5d) {
    hashA = a;
    hashB = b;
    return at + 1;
  }
  for (;;) {
    if (place == AT_CONTENT && load<u8>(at) == 0x7b) {
      blockIsCall = false;
      blockIdLength = ABSENT;
      at = skipObject(at, AT_BLOCK, depth + 1);
      if (at == 0) return 0;
      if (blockIsCall && blockIdLength != ABSENT) {
        if (callCount >= MOST_CALLS) return 0;
        const call = calls + callCount * 12;
        store<i32>(call, blockIdStart);
        store<i32>(call, blockIdLength, 4);
        store<i32>(call, index, 8);
        callCount++;
      }
    } else {
      at = skipValue(at, place == AT_OPAQUE ? AT_OPAQUE : AT_OTHER, depth);
      if (at == 0) return 0;
    }
    // A run of elements of one shape counts as one: the schemas look at each by itself.
    if (place != AT_OPAQUE && (index == 0 || hashA != lastA || hashB != lastB)) {
      a = mixA(a, hashA);
      b = mixB(b, hashB);
      lastA = hashA;
      lastB = hashB;
    }
    index++;
    at = skipSpace(at);
    const c = load<u8>(at);
    if (c == 0x2c) {
      at = skipSpace(at + 1);
      continue;
    }
    // Never behind the newline of a line that ends too early.
    if (c != 0x5d) return 0;
    hashA = mixA(a, KIND_NULL);
    hashB = mixB(b, KIND_NULL);
    return at + 1;
  }
  return 0;
}

@inline function kind(k: u32): void {
  hashA = mixA(seedA, k);
  hashB = mixB(seedB, k);
}

function skipValue(at: usize, place: i32, depth: i32): usize {
  const c = <u32>load<u8>(at);
  switch (c) {
    case 0x22: {
      at = skipString(at);
      if (at == 0) return 0;
      const length = stringEnd - stringStart;
      // Image data may be long. How long any text is, is known only where each byte is a character.
      if (length > LONG_STRING) {
        if (place != AT_DATA || !stringPlain) return 0;
        kind(KIND_LONG);
      } else kind(length == 0 ? KIND_EMPTY : KIND_STRING);
      return at;
    }
    case 0x7b:
      at = skipObject(at, place == AT_CONTENT ? AT_OTHER : place, depth + 1);
      if (place == AT_OPAQUE) kind(KIND_OBJECT);
      return at;
    case 0x5b:
      at = skipArray(at, place == AT_MESSAGE ? AT_OTHER : place, depth + 1);
      if (place == AT_OPAQUE) kind(KIND_ARRAY);
      return at;
    case 0x74:
      if (!is4(at, 0x65757274)) return 0;
      kind(KIND_TRUE);
      return at + 4;
    case 0x66:
      if (!is4(at + 1, 0x65736c61)) return 0;
      kind(KIND_FALSE);
      return at + 5;
    case 0x6e:
      if (!is4(at, 0x6c6c756e)) return 0;
      kind(KIND_NULL);
      return at + 4;
    default:
      kind(KIND_NUMBER);
      return skipNumber(at);
  }
}

/** Where the newline stands that ends a line that is accepted; else 0. */
function scanLine(start: usize): usize {
  let at = skipSpace(start);
  if (load<u8>(at) != 0x7b) return 0;
  at = skipObject(at, AT_ENTRY, 0);
  if (at == 0) return 0;
  at = skipSpace(at);
  return load<u8>(at) == 0x0a && hasTime && (codes & 15) != 0 ? at : 0;
}

/** Scans lines of the block from an offset on, until it or the room for records is used up. Gives the number of lines. */
export function scan(from: i32, bytes: i32): i32 {
  const end = input + bytes;
  let line: i32 = 0;
  let at = input + from;
  callCount = 0;
  while (at < end && line < MOST_LINES && callCount < MOST_CALLS - 1024) {
    const start = at;
    const firstCall = callCount;
    idLength = ABSENT;
    parentLength = ABSENT;
    resultLength = ABSENT;
    codes = 0;
    hasTime = false;
    const newline = scanLine(start);
    const accepted = newline != 0;
    if (!accepted) callCount = firstCall;
    at = accepted ? newline + 1 : skipLine(start);
    const record = records + line * FIELDS * 4;
    store<i32>(record, <i32>(start - input));
    store<i32>(record, <i32>(at - start) - 1, 4);
    store<i32>(record, accepted ? 1 : 0, 8);
    store<i32>(record, hashA, 12);
    store<i32>(record, hashB, 16);
    store<i32>(record, idStart, 20);
    store<i32>(record, idLength, 24);
    store<i32>(record, parentStart, 28);
    store<i32>(record, parentLength, 32);
    store<i32>(record, resultStart, 36);
    store<i32>(record, resultLength, 40);
    store<i32>(record, codes, 44);
    store<i32>(record, day, 48);
    store<i32>(record, millisecond, 52);
    store<i32>(record, firstCall, 56);
    store<i32>(record, callCount - firstCall, 60);
    line++;
  }
  return line;
}

export function outlinedAt(): usize {
  return outlined;
}

// Where the outline goes on.
let out: usize = 0;

/**
 * Writes the outline of an accepted line, by where it starts and its length: a line of the same shape, in which no value is
 * longer than it has to be. Gives its length; 0 for a line that is too long.
 */
export function outline(start: i32, length: i32): i32 {
  if (length > LONGEST_OUTLINED) return 0;
  out = outlined;
  outlineObject(skipSpace(input + start));
  return <i32>(out - outlined);
}

@inline function put(byte: u32): void {
  store<u8>(out++, byte);
}

@inline function copy(start: usize, end: usize): void {
  for (let at = start; at < end; at += 16) v128.store(out + (at - start), v128.load(at));
  out += end - start;
}

function outlineObject(at: usize): usize {
  put(0x7b);
  at = skipSpace(at + 1);
  while (load<u8>(at) != 0x7d) {
    const keyAt = at;
    at = skipString(at);
    const key = <i32>(meaningOf(stringStart, stringEnd - stringStart) & 0xff);
    copy(keyAt, at);
    put(0x3a);
    at = skipSpace(skipSpace(at) + 1);
    // Without a time it would be no entry.
    const matters = key == KEY_TYPE || key == KEY_ROLE || key == KEY_TIME;
    at = matters && load<u8>(at) == 0x22 ? copyString(at) : outlineValue(at, key == KEY_OPAQUE);
    at = skipSpace(at);
    if (load<u8>(at) == 0x2c) {
      put(0x2c);
      at = skipSpace(at + 1);
    }
  }
  put(0x7d);
  return at + 1;
}

function copyString(at: usize): usize {
  const end = skipString(at);
  copy(at, end);
  return end;
}

function outlineArray(at: usize): usize {
  put(0x5b);
  at = skipSpace(at + 1);
  while (load<u8>(at) != 0x5d) {
    at = skipSpace(outlineValue(at, false));
    if (load<u8>(at) == 0x2c) {
      put(0x2c);
      at = skipSpace(at + 1);
    }
  }
  put(0x5d);
  return at + 1;
}

function outlineValue(at: usize, isOpaque: bool): usize {
  const first = <u32>load<u8>(at);
  if (first == 0x22) {
    const end = skipString(at);
    put(0x22);
    if (stringEnd > stringStart) put(0x2d);
    put(0x22);
    return end;
  }
  if (first == 0x7b || first == 0x5b) {
    if (!isOpaque) return first == 0x7b ? outlineObject(at) : outlineArray(at);
    put(first);
    // Behind the opening one in ASCII there is one other.
    put(first + 2);
    return skipValue(at, AT_OPAQUE, 0);
  }
  const end = skipValue(at, AT_OTHER, 0);
  if (first == 0x74 || first == 0x66 || first == 0x6e) copy(at, end);
  else put(0x30);
  return end;
}
