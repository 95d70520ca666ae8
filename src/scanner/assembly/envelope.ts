// AssemblyScript, not TypeScript: compiled to WebAssembly by `npm run scanner`. EnvelopeScanner in src/entries/envelope.ts
// does the same in plain TypeScript and says what is meant; a test compares the two on very many lines.
import { ends, escapeCode, join, same } from './blocks';
import { areSame, roomAt, skipLine } from './bytes';
import { hashId, idHigh, idIsPacked, idLow } from './id-hash';

export { keyIds } from './id-hash';

const ABSENT: i32 = -1;

// What was found, as numbers of 32 bits: start and end of type, id, parentId, role and the message with its braces.
const found: usize = (__heap_base + 15) & ~15;
const TYPE_AT: usize = found;
const ID_AT: usize = found + 8;
const PARENT_AT: usize = found + 16;
const ROLE_AT: usize = found + 24;
const MESSAGE_AT: usize = found + 32;
// For lines that are scanned together: the numbers of LINE in src/scanner/envelope-layout.ts, then the bytes.
const MOST_LINES: i32 = 4096;
const LINE_BYTES: i32 = 13 * 4;
const records: usize = found + 64;
const input: usize = records + MOST_LINES * LINE_BYTES;
const ACCEPTED: i32 = 1;
const ID_PACKED: i32 = 2;
const PARENT_BEFORE: i32 = 4;
const TYPE_MESSAGE: i32 = 1 << 4;
const ROLE_NONE: i32 = 1 << 8;
const ROLE_USER: i32 = 2 << 8;
const ROLE_ASSISTANT: i32 = 3 << 8;
const ROLE_RESULT: i32 = 4 << 8;

const KEY_OTHER: i32 = 0;
const KEY_TYPE: i32 = 1;
const KEY_ID: i32 = 2;
const KEY_PARENT: i32 = 3;
const KEY_MESSAGE: i32 = 4;

const LAST_BIT: u64 = 0x8000000000000000;
/** The bytes `{"role":`. */
const ROLE_FIRST: u64 = 0x3a22656c6f72227b;

// The cursor, and the last string.
let p: usize = 0;
let stringStart: usize = 0;
let stringEnd: usize = 0;
let stringEscaped: bool = false;

export function foundAt(): usize {
  return found;
}

export function recordsAt(): usize {
  return records;
}

/** Makes room for so many bytes and tells where they go; 0 where there is none. */
export function reserve(bytes: usize): usize {
  return roomAt(input, bytes);
}

@inline function put(at: usize, start: usize, end: usize): void {
  store<i32>(at, <i32>start);
  store<i32>(at + 4, <i32>end);
}

@inline function skipSpace(): void {
  let c = load<u8>(p);
  while (c == 0x20 || c == 0x09 || c == 0x0d) c = load<u8>(++p);
}

/** Bytes at which a string may end: a quote, a backslash, a control character. */
@inline function stops(v: v128): v128 {
  return v128.or(ends(v), i8x16.eq(v, i8x16.splat(0x5c)));
}

@inline function controlBits(a: v128, b: v128, c: v128, d: v128): u64 {
  const last = i8x16.splat(0x1f);
  return join(i8x16.le_u(a, last), i8x16.le_u(b, last), i8x16.le_u(c, last), i8x16.le_u(d, last));
}

/** From an opening quote to behind the closing one. False where a control character comes first, such as the newline at the end. */
function skipString(): bool {
  p++;
  stringStart = p;
  stringEscaped = false;
  // Most strings are keys and short words.
  const mask = i8x16.bitmask(stops(v128.load(p)));
  if (mask != 0) {
    const stop = p + ctz(mask);
    const c = load<u8>(stop);
    if (c == 0x22) {
      stringEnd = stop;
      p = stop + 1;
      return true;
    }
    if (c != 0x5c) return false;
  }
  return skipRestOfString(0);
}

/** From inside of a string to behind its closing quote. `escaped` is 1 where a backslash stands before the cursor. */
function skipRestOfString(escaped: u64): bool {
  let slashesSeen: u64 = 0;
  let at = p;
  for (;;) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    const slashes = same(a, b, c, d, 0x5c);
    const code = escapeCode(slashes, escaped);
    const ends = (same(a, b, c, d, 0x22) & ~(code ^ (slashes | escaped))) | controlBits(a, b, c, d);
    if (ends != 0) {
      stringEscaped = (slashesSeen | (slashes & (ends ^ (ends - 1)))) != 0;
      p = at + <usize>ctz(ends);
      if (load<u8>(p) != 0x22) return false;
      stringEnd = p++;
      return true;
    }
    slashesSeen |= slashes;
    escaped = (code & slashes) >> 63;
    at += 64;
  }
  return false;
}

/** Whether the last string is ASCII and without escapes. */
function isPlain(): bool {
  if (stringEscaped) return false;
  for (let at = stringStart; at < stringEnd; at += 16) {
    const high = i8x16.bitmask(v128.load(at));
    const left = <i32>(stringEnd - at);
    if ((left < 16 ? high & ((1 << left) - 1) : high) != 0) return false;
  }
  return true;
}

/**
 * From inside of an object or a list to behind the bracket that closes it, 64 bytes at a time: brackets outside of strings
 * are counted, not looked at. False where that is not enough: white space between lines of the object, a backslash outside
 * of a string, no end; and, where the role is known, a key that may be another role. The cursor is then anywhere.
 */
function skipToClose(knowsRole: bool): bool {
  let depth = 1;
  let at = p;
  for (;;) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    const slashes = same(a, b, c, d, 0x5c);
    const code = escapeCode(slashes, 0);
    const quotes = same(a, b, c, d, 0x22) & ~(code ^ slashes);
    // From each opening quote up to the closing one: every bit is the parity of the quotes up to it.
    let inside = quotes ^ (quotes << 1);
    inside ^= inside << 2;
    inside ^= inside << 4;
    inside ^= inside << 8;
    inside ^= inside << 16;
    inside ^= inside << 32;
    const controls = controlBits(a, b, c, d);
    /** What stands before the first control character. */
    const counts = controls == 0 ? <u64>-1 : (controls & (0 - controls)) - 1;
    const outside = ~inside & counts;
    if ((slashes & outside) != 0) return false;
    if (knowsRole) {
      const hints = same(a, b, c, d, 0x72) | slashes;
      // The byte behind the last one is not at hand, so it always needs the look.
      let starts = quotes & inside & counts & ((hints >> 1) | LAST_BIT);
      for (; starts != 0; starts &= starts - 1) if (maySpellRole(at + <usize>ctz(starts) + 1)) return false;
    }
    // With one bit set, square brackets are braces.
    const bit = i8x16.splat(0x20);
    const e = v128.or(a, bit);
    const f = v128.or(b, bit);
    const g = v128.or(c, bit);
    const h = v128.or(d, bit);
    const opens = same(e, f, g, h, 0x7b) & outside;
    let closes = same(e, f, g, h, 0x7d) & outside;
    const closed = <i32>popcnt(closes);
    if (closed < depth) depth -= closed;
    else {
      for (; closes != 0; closes &= closes - 1) {
        const before = (closes & (0 - closes)) - 1;
        if (depth + <i32>popcnt(opens & before) == 1) {
          p = at + <usize>ctz(closes) + 1;
          return true;
        }
        depth--;
      }
    }
    depth += <i32>popcnt(opens);
    if (controls != 0) return false;
    at += 64;
    if ((inside & LAST_BIT) != 0) {
      p = at;
      if (!skipRestOfString((code & slashes) >> 63)) return false;
      at = p;
    }
  }
  return false;
}

/** Whether the string that starts here may be 'role', perhaps with escapes. */
@inline function maySpellRole(at: usize): bool {
  const start = load<u16>(at);
  return start == 0x6f72 || start == 0x5c72 || start == 0x755c;
}

/** From an opening bracket to behind the one that closes it. */
function skipNested(): bool {
  const start = p++;
  if (skipToClose(false)) return true;
  p = start;
  return skipNestedByBytes();
}

function skipNestedByBytes(): bool {
  let depth = 0;
  for (;;) {
    const c = load<u8>(p);
    if (c == 0x22) {
      if (!skipString()) return false;
      continue;
    }
    const low = c | 0x20;
    if (low == 0x7b) depth++;
    else if (low == 0x7d) {
      if (--depth == 0) {
        p++;
        return true;
      }
    } else if (c < 0x20 && c != 0x09 && c != 0x0d) return false;
    p++;
  }
  return false;
}

function skipValue(): bool {
  let c = load<u8>(p);
  if (c == 0x22) return skipString();
  if (c == 0x7b || c == 0x5b) return skipNested();
  const start = p;
  while (c != 0x2c && c != 0x7d && c != 0x5d && c > 0x20 && c != 0x22) c = load<u8>(++p);
  return p > start;
}

function keyOf(): i32 {
  const start = stringStart;
  switch (<i32>(stringEnd - start)) {
    case 2:
      return load<u16>(start) == 0x6469 ? KEY_ID : KEY_OTHER;
    case 4:
      return load<u32>(start) == 0x65707974 ? KEY_TYPE : KEY_OTHER;
    case 7:
      return load<u32>(start) == 0x7373656d && load<u32>(start + 3) == 0x65676173 ? KEY_MESSAGE : KEY_OTHER;
    case 8:
      return load<u64>(start) == 0x6449746e65726170 ? KEY_PARENT : KEY_OTHER;
  }
  return KEY_OTHER;
}

/** Passes over the message, whose role is wanted and mostly comes first. */
function skipMessage(): bool {
  const start = p;
  if (load<u64>(p) == ROLE_FIRST && load<u8>(p + 8) == 0x22) {
    p += 8;
    if (!skipString() || !isPlain()) return false;
    const roleStart = stringStart;
    const roleEnd = stringEnd;
    if (skipToClose(true)) {
      put(ROLE_AT, roleStart, roleEnd);
      return load<u8>(p - 1) == 0x7d;
    }
    p = start;
  }
  return skipMessageByMembers();
}

/** The same wherever the role stands: of its own members only the keys are looked at. */
function skipMessageByMembers(): bool {
  p++;
  for (;;) {
    const c = load<u8>(p);
    if (c == 0x22) {
      if (!skipString()) return false;
      if (stringEnd - stringStart > 24) continue;
      // A short string may be a key; only one before a colon is.
      skipSpace();
      if (load<u8>(p) != 0x3a) continue;
      if (stringEscaped) return false;
      p++;
      if (stringEnd - stringStart != 4 || load<u32>(stringStart) != 0x656c6f72) continue;
      skipSpace();
      put(ROLE_AT, ABSENT, 0);
      if (load<u8>(p) != 0x22) continue;
      if (!skipString() || !isPlain()) return false;
      put(ROLE_AT, stringStart, stringEnd);
    } else if (c == 0x7b || c == 0x5b) {
      if (!skipNested()) return false;
    } else if (c == 0x7d) {
      p++;
      return true;
    } else if (c == 0x5d || (c < 0x20 && c != 0x09 && c != 0x0d)) return false;
    else p++;
  }
  return false;
}

/** Reads the value at hand for one of the keys that count. */
function keep(key: i32): bool {
  const first = load<u8>(p);
  if (key == KEY_MESSAGE) {
    // The last message counts, so an earlier one is forgotten.
    put(ROLE_AT, ABSENT, 0);
    put(MESSAGE_AT, ABSENT, 0);
    if (first != 0x7b) return skipValue();
    const start = p;
    if (!skipMessage()) return false;
    put(MESSAGE_AT, start, p);
    return true;
  }
  const at = key == KEY_PARENT ? PARENT_AT : key == KEY_ID ? ID_AT : TYPE_AT;
  if (first == 0x22) {
    if (!skipString() || !isPlain()) return false;
    put(at, stringStart, stringEnd);
    return true;
  }
  // Null, or anything else that names nothing.
  put(at, ABSENT, 0);
  return skipValue();
}

/** Whether an envelope was found; the cursor is then at the first byte behind the object that is no white space. */
function find(start: usize): bool {
  put(TYPE_AT, ABSENT, 0);
  put(ID_AT, ABSENT, 0);
  put(PARENT_AT, ABSENT, 0);
  put(ROLE_AT, ABSENT, 0);
  put(MESSAGE_AT, ABSENT, 0);
  p = start;
  skipSpace();
  if (load<u8>(p) != 0x7b) return false;
  p++;
  for (;;) {
    skipSpace();
    if (load<u8>(p) != 0x22 || !skipString() || stringEscaped) return false;
    const key = keyOf();
    skipSpace();
    if (load<u8>(p) != 0x3a) return false;
    p++;
    skipSpace();
    if (!(key == KEY_OTHER ? skipValue() : keep(key))) return false;
    skipSpace();
    const next = load<u8>(p);
    p++;
    if (next == 0x2c) continue;
    if (next != 0x7d) return false;
    skipSpace();
    return true;
  }
  return false;
}

/** Whether the envelope of the line was found. The line ends before the newline that stands at `end`. */
export function scan(start: usize, end: usize): bool {
  return find(start) && p == end;
}

/** Types of lines that are no entries: they are read in full. */
function isSpecial(start: usize, length: i32): bool {
  if (length == 7) return load<u32>(start) == 0x73736573 && load<u32>(start + 3) == 0x6e6f6973;
  return length == 5 && load<u32>(start) == 0x6c746974 && load<u8>(start + 4) == 0x65;
}

function typeCode(start: usize, length: i32): i32 {
  return length == 7 && load<u32>(start) == 0x7373656d && load<u32>(start + 3) == 0x65676173 ? TYPE_MESSAGE : 0;
}

function roleCode(start: usize, length: i32): i32 {
  if (length == 4) return load<u32>(start) == 0x72657375 ? ROLE_USER : 0;
  if (length == 9) return load<u64>(start) == 0x6e61747369737361 && load<u8>(start + 8) == 0x74 ? ROLE_ASSISTANT : 0;
  return length == 10 && load<u64>(start) == 0x757365526c6f6f74 && load<u16>(start + 8) == 0x746c ? ROLE_RESULT : 0;
}

/** Scans lines, each ended by a newline, until their end or until there is no room for more. Gives the number of lines. */
export function scanLines(from: usize, end: usize): i32 {
  let count: i32 = 0;
  let record = records;
  let beforeStart: usize = 0;
  let beforeLength: i32 = ABSENT;
  for (let at = from; at < end && count < MOST_LINES; count++, record += LINE_BYTES) {
    const start = at;
    let codes: i32 = 0;
    let idLength: i32 = ABSENT;
    let idStart: usize = 0;
    if (find(start) && load<u8>(p) == 0x0a) {
      at = p + 1;
      const type = <usize>load<u32>(TYPE_AT);
      const typeLength = load<i32>(TYPE_AT, 4) - <i32>type;
      if (<i32>type == ABSENT || !isSpecial(type, typeLength)) {
        codes = ACCEPTED;
        if (<i32>type != ABSENT) codes |= typeCode(type, typeLength);
        const role = <usize>load<u32>(ROLE_AT);
        codes |= <i32>role == ABSENT ? ROLE_NONE : roleCode(role, load<i32>(ROLE_AT, 4) - <i32>role);
        const parent = <usize>load<u32>(PARENT_AT);
        const parentLength = <i32>parent == ABSENT ? ABSENT : load<i32>(PARENT_AT, 4) - <i32>parent;
        if (parentLength > 0 && parentLength == beforeLength && areSame(parent, beforeStart, parentLength)) codes |= PARENT_BEFORE;
        idStart = <usize>load<u32>(ID_AT);
        if (<i32>idStart != ABSENT) {
          idLength = load<i32>(ID_AT, 4) - <i32>idStart;
          hashId(idStart, idLength);
          if (idIsPacked) codes |= ID_PACKED;
          store<u32>(record, idLow, 12);
          store<u32>(record, idHigh, 16);
        }
        // Type, id, parentId and role, start and end of each.
        v128.store(record, v128.load(TYPE_AT), 20);
        v128.store(record, v128.load(TYPE_AT, 16), 36);
      }
    } else at = skipLine(start);
    store<u32>(record, <u32>start);
    store<u32>(record, <u32>(at - start) - 1, 4);
    store<i32>(record, codes, 8);
    beforeStart = idStart;
    beforeLength = idLength;
  }
  return count;
}
