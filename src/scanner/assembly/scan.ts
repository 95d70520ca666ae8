// AssemblyScript, not TypeScript: compiled to WebAssembly by `npm run scanner`. A test compares it with JSON.parse and
// the schemas on very many lines. The numbers here are those of src/scanner/layout.ts.
import {
  is4, isText, roomAt, skipLine, skipNumber, skipSpace, skipString, stringEnd, stringPlain, stringStart,
} from './bytes';
import {
  KIND_ARRAY, KIND_EMPTY, KIND_FALSE, KIND_LONG, KIND_NULL, KIND_NUMBER, KIND_OBJECT, KIND_STRING, KIND_TRUE, hashA,
  hashB, kind, mixA, mixB, mixText, seedA, seedB, seedHash, setHash,
} from './hash';
import {
  AT_BLOCK, AT_CONTENT, AT_DATA, AT_ENTRY, AT_MESSAGE, AT_OPAQUE, AT_OTHER, KEY_CONTENT, KEY_ID, KEY_MESSAGE,
  KEY_NONE, KEY_OPAQUE, KEY_PARENT, KEY_RESULT, KEY_ROLE, KEY_STOP, KEY_TIME, KEY_TRANSIENT, KEY_TYPE, KEY_URL, ONCE,
  clearKeys, findKey, keyAt, keyEnd, keysEnd, roleCode, typeCode,
} from './keys';
import { day, millisecond, readTime } from './time';

export const FIELDS: i32 = 16;
export const MOST_LINES: i32 = 8192;
export const MOST_CALLS: i32 = 32768;
const DEEPEST: i32 = 64;
const LONG_STRING: usize = 500000;
export const ABSENT: i32 = -1;
export const NULL: i32 = -2;

const STOPPED_TURN: i32 = 1 << 8;
const MAY_HOLD_IMAGE: i32 = 1 << 9;

export const records: usize = keysEnd;
export const calls: usize = records + (MOST_LINES * FIELDS * 4);
export const input: usize = calls + (MOST_CALLS * 12);

// The cursor is handed from function to function, for a global one would be read and written at every
// step; 0 stands for a line that is to be read in full.

// Facts of the current line.
let idStart: i32 = 0;
let idLength: i32 = 0;
let parentStart: i32 = 0;
let parentLength: i32 = 0;
let resultStart: i32 = 0;
let resultLength: i32 = 0;
let codes: i32 = 0;
let hasTime: bool = false;
let callCount: i32 = 0;
let blockIsCall: bool = false;
let blockIdStart: i32 = 0;
let blockIdLength: i32 = 0;

export { scanEnvelopes } from './envelope';
export { forgetNames, learnName, outline } from './outline';
export { scanTexts } from './texts';

export function recordsAt(): usize {
  return records;
}

export function callsAt(): usize {
  return calls;
}

export function seed(a: u32, b: u32): void {
  seedHash(a, b);
  clearKeys();
}

/** Makes room for so many bytes and returns its address; 0 if there is none. */
export function reserve(bytes: usize): usize {
  return roomAt(input, bytes);
}

/** Takes down what a key's string means. False where it is not plain ASCII, or not as expected. */
function takeString(place: i32, key: i32): bool {
  const start = stringStart;
  const length = stringEnd - start;
  const at = <i32>(start - input);
  switch (key) {
    case KEY_TYPE:
      if (!stringPlain || length > 64) return false;
      if (place == AT_BLOCK) blockIsCall = isText(start, length, 'toolCall');
      else if (place == AT_ENTRY) {
        const type = typeCode(start, length);
        if (type == 0) return false;
        codes |= type;
      }
      mixText(start, stringEnd);
      return true;
    case KEY_ROLE:
      if (!stringPlain || length > 64) return false;
      if (place == AT_MESSAGE) codes |= roleCode(start, length);
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
      hasTime = readTime(start, stringEnd);
      return hasTime;
    case KEY_STOP:
      if (!stringPlain) return false;
      if (isText(start, length, 'aborted') || isText(start, length, 'error')) codes |= STOPPED_TURN;
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
    setHash(a, b);
    return at + 1;
  }
  if (load<u8>(at) != 0x22) return 0;
  for (;;) {
    const slot = findKey(at);
    if (slot == 0) return 0;
    at = keyEnd;
    const key = keyAt(place, slot);
    if (place != AT_OPAQUE) {
      a = mixA(a, load<u32>(slot, 16));
      b = mixB(b, load<u32>(slot, 20));
      // Of a key that is twice, JSON.parse keeps the last.
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
  setHash(mixA(a, KIND_NULL), mixB(b, KIND_NULL));
  return at + 1;
}

/** A member's value, and what it means under its key. */
function skipMember(at: usize, place: i32, key: i32, depth: i32): usize {
  if (key == KEY_URL || (key == KEY_OPAQUE && load<u8>(at) == 0x22)) codes |= MAY_HOLD_IMAGE;
  if (place == AT_OPAQUE) return skipValue(at, AT_OPAQUE, depth);
  if (key == KEY_NONE || key == KEY_URL) return skipValue(at, AT_OTHER, depth);
  const first = load<u8>(at);
  if (key == KEY_OPAQUE) return skipValue(at, first == 0x22 ? AT_DATA : AT_OPAQUE, depth);
  if (first == 0x22) {
    at = skipValue(at, AT_OTHER, depth);
    return at != 0 && takeString(place, key) ? at : 0;
  }
  if (key == KEY_MESSAGE) return skipValue(at, AT_MESSAGE, depth);
  if (key == KEY_CONTENT) return skipValue(at, AT_CONTENT, depth);
  // Facts that are no strings: a parent may be null, anything else makes the line be read in full.
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
    setHash(a, b);
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
    setHash(mixA(a, KIND_NULL), mixB(b, KIND_NULL));
    return at + 1;
  }
  return 0;
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

/** Where the newline is that ends a line that is accepted; else 0. */
function scanLine(start: usize): usize {
  let at = skipSpace(start);
  if (load<u8>(at) != 0x7b) return 0;
  at = skipObject(at, AT_ENTRY, 0);
  if (at == 0) return 0;
  at = skipSpace(at);
  return load<u8>(at) == 0x0a && hasTime && (codes & 15) != 0 ? at : 0;
}

/** Scans lines of the block from an offset on, until it or the room for records ends. Gives the number of lines. */
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
