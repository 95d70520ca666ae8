// AssemblyScript, not TypeScript: lines with only the members that are read. The numbers here are those of
// src/scanner/layout.ts.
import { is4, skipLine, skipNumber, skipSpace, skipString, stringEnd, stringPlain, stringStart, valueOf } from './bytes';
import { longNames, MOST_LONG_NAMES, NAME_BITS, names, shortLength, shortText } from './keys';
import { FIELDS, input, MOST_LINES, records } from './scan';

const DEEPEST: i32 = 64;
const UNREAD: u32 = 0;
/** Of its text it matters only whether there is any. */
const TEXT: u32 = 2;
const REFUSED: u32 = 0xff;

// Names of up to 15 bytes, each in the first free slot from the one that its text leads to: 16 bytes as shortText gives
// them and what is read under the name. Longer names are in a list: length, what is read, and up to 56 bytes of text.
const SLOT: usize = 32;
const FREE: u32 = 0xff;
const LONG_NAME: usize = 64;
let longCount: i32 = 0;

/** Behind the name that was looked up last. */
let nameEnd: usize = 0;
/** What is kept of the current line goes to `out`: all up to `from` is there, or is left out. */
let from: usize = 0;
let out: usize = 0;

function slotOf(text: v128): usize {
  const folded = i64x2.extract_lane(text, 0) ^ rotl(i64x2.extract_lane(text, 1), 23);
  return names + (<usize>((folded * 0x9e3779b97f4a7c15) >>> (64 - NAME_BITS)) << 5);
}

@inline function nextSlot(slot: usize): usize {
  return names + ((slot - names + SLOT) & ((SLOT << NAME_BITS) - 1));
}

export function forgetNames(): void {
  memory.fill(names, 0xff, SLOT << NAME_BITS);
  longCount = 0;
}

/** Takes a name from where the records will be, and what is read under it. False where there is no room for it. */
export function learnName(length: usize, read: u32): bool {
  if (length < 16) {
    const text = shortText(records - 1, length);
    let slot = slotOf(text);
    while (load<u8>(slot, 15) != FREE) slot = nextSlot(slot);
    v128.store(slot, text);
    store<u32>(slot, read, 16);
    return true;
  }
  if (length > LONG_NAME - 8 || longCount == MOST_LONG_NAMES) return false;
  const name = longNames + <usize>longCount * LONG_NAME;
  longCount++;
  store<u32>(name, <u32>length);
  store<u32>(name, read, 4);
  memory.copy(name + 8, records, length);
  return true;
}

/** What is read under the current name; REFUSED where it is no name, or may be any one. */
function readUnder(at: usize): u32 {
  const length = shortLength(at);
  if (length < 16) {
    const text = shortText(at, length);
    for (let slot = slotOf(text); load<u8>(slot, 15) != FREE; slot = nextSlot(slot)) {
      if (v128.any_true(v128.xor(text, v128.load(slot)))) continue;
      nameEnd = at + length + 2;
      return load<u32>(slot, 16);
    }
  }
  nameEnd = skipString(at);
  if (nameEnd == 0 || !stringPlain) return REFUSED;
  return length < 16 ? UNREAD : readUnderLong(stringStart, stringEnd - stringStart);
}

function readUnderLong(start: usize, length: usize): u32 {
  for (let index: i32 = 0; index < longCount; index++) {
    const name = longNames + <usize>index * LONG_NAME;
    if (load<u32>(name) == <u32>length && memory.compare(name + 8, start, length) == 0) return load<u32>(name, 4);
  }
  return UNREAD;
}

@inline function keepUpTo(end: usize): void {
  if (out != from && from < end) memory.copy(out, from, end - from);
  out += end - from;
}

/** Behind a value that is left out; 0 where it is none. */
function skipValue(at: usize, depth: i32): usize {
  switch (<u32>load<u8>(at)) {
    case 0x22:
      return skipString(at);
    case 0x7b:
      return skipObject(at, depth + 1);
    case 0x5b:
      return skipArray(at, depth + 1);
    case 0x74:
      return is4(at, 0x65757274) ? at + 4 : 0;
    case 0x66:
      return is4(at + 1, 0x65736c61) ? at + 5 : 0;
    case 0x6e:
      return is4(at, 0x6c6c756e) ? at + 4 : 0;
    default:
      return skipNumber(at);
  }
}

function skipObject(at: usize, depth: i32): usize {
  if (depth >= DEEPEST) return 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == 0x7d) return at + 1;
  for (;;) {
    if (load<u8>(at) != 0x22) return 0;
    at = skipString(at);
    if (at == 0) return 0;
    at = valueOf(at);
    if (at == 0) return 0;
    at = skipValue(at, depth);
    if (at == 0) return 0;
    at = skipSpace(at);
    const c = load<u8>(at);
    if (c == 0x7d) return at + 1;
    if (c != 0x2c) return 0;
    at = skipSpace(at + 1);
  }
  return 0;
}

function skipArray(at: usize, depth: i32): usize {
  if (depth >= DEEPEST) return 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == 0x5d) return at + 1;
  for (;;) {
    at = skipValue(at, depth);
    if (at == 0) return 0;
    at = skipSpace(at);
    const c = load<u8>(at);
    if (c == 0x5d) return at + 1;
    if (c != 0x2c) return 0;
    at = skipSpace(at + 1);
  }
  return 0;
}

/** Behind a value that is kept, without what is not read of it. */
function keepValue(at: usize, read: u32, depth: i32): usize {
  switch (<u32>load<u8>(at)) {
    case 0x22:
      at = skipString(at);
      if (at != 0 && read == TEXT && stringStart != stringEnd) {
        // Any text stands for the one that was there.
        keepUpTo(stringStart);
        store<u8>(out++, 0x78);
        from = stringEnd;
      }
      return at;
    case 0x7b:
      return keepObject(at, depth + 1);
    case 0x5b:
      return keepArray(at, depth + 1);
    default:
      return skipValue(at, depth);
  }
}

function keepObject(at: usize, depth: i32): usize {
  if (depth >= DEEPEST) return 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == 0x7d) return at + 1;
  /** The comma behind the last member that is kept; 0 as long as there is none. */
  let comma: usize = 0;
  let isFirst = true;
  for (;;) {
    if (load<u8>(at) != 0x22) return 0;
    const start = at;
    const read = readUnder(at);
    if (read == REFUSED) return 0;
    at = valueOf(nameEnd);
    if (at == 0) return 0;
    if (read == UNREAD) {
      at = skipValue(at, depth);
      if (at == 0) return 0;
      keepUpTo(isFirst ? start : comma);
      at = skipSpace(at);
      from = at;
    } else {
      at = keepValue(at, read, depth);
      if (at == 0) return 0;
      isFirst = false;
      at = skipSpace(at);
    }
    const c = load<u8>(at);
    if (c == 0x7d) return at + 1;
    if (c != 0x2c) return 0;
    comma = at;
    at = skipSpace(at + 1);
    if (isFirst) from = at;
  }
  return 0;
}

function keepArray(at: usize, depth: i32): usize {
  if (depth >= DEEPEST) return 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == 0x5d) return at + 1;
  for (;;) {
    at = keepValue(at, UNREAD, depth);
    if (at == 0) return 0;
    at = skipSpace(at);
    const c = load<u8>(at);
    if (c == 0x5d) return at + 1;
    if (c != 0x2c) return 0;
    at = skipSpace(at + 1);
  }
  return 0;
}

/** Puts the outline of a line in its place. Gives where the newline is; 0 where the line is to be read in full. */
function outlineLine(start: usize): usize {
  let at = skipSpace(start);
  if (load<u8>(at) != 0x7b) return 0;
  from = start;
  out = start;
  at = keepObject(at, 0);
  if (at == 0) return 0;
  keepUpTo(at);
  at = skipSpace(at);
  return load<u8>(at) == 0x0a ? at : 0;
}

function isAscii(at: usize, end: usize): bool {
  let high = i8x16.splat(0);
  for (; at + 16 <= end; at += 16) high = v128.or(high, v128.load(at));
  let isPlain = i8x16.bitmask(high) == 0;
  for (; at < end; at++) if (load<u8>(at) > 0x7f) isPlain = false;
  return isPlain;
}

/** Looks at lines from an offset on and gives their number: as many as there is room for. */
export function outline(offset: usize, bytes: usize): i32 {
  const end = input + bytes;
  let at = input + offset;
  let count = 0;
  while (at < end && count < MOST_LINES) {
    const start = at;
    const newline = outlineLine(start);
    at = newline == 0 ? skipLine(start) : newline + 1;
    const record = records + count * FIELDS * 4;
    store<i32>(record, <i32>(start - input));
    store<i32>(record, <i32>(at - start) - 1, 4);
    store<i32>(record, newline == 0 ? 0 : <i32>(out - start), 8);
    store<i32>(record, newline != 0 && isAscii(start, out) ? 1 : 0, 12);
    count++;
  }
  return count;
}
