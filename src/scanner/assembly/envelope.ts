// AssemblyScript, not TypeScript: compiled to WebAssembly by `npm run scanner`. EnvelopeScanner in src/entries/envelope.ts
// does the same in plain TypeScript and says what is meant; a test compares the two on very many lines.

const ABSENT: i32 = -1;

// What was found, as numbers of 32 bits: start and end of type, id, parentId and role.
const found: usize = (__heap_base + 15) & ~15;
const TYPE_AT: usize = found;
const ID_AT: usize = found + 8;
const PARENT_AT: usize = found + 16;
const ROLE_AT: usize = found + 24;
const input: usize = found + 64;

const KEY_OTHER: i32 = 0;
const KEY_TYPE: i32 = 1;
const KEY_ID: i32 = 2;
const KEY_PARENT: i32 = 3;
const KEY_MESSAGE: i32 = 4;

// The cursor, and the last string.
let p: usize = 0;
let stringStart: usize = 0;
let stringEnd: usize = 0;
let stringEscaped: bool = false;

export function foundAt(): usize {
  return found;
}

/** Makes room for so many bytes and tells where they go. Reading may run 16 bytes past their end. */
export function reserve(bytes: usize): usize {
  const needed = <i32>((input + bytes + 128 + 0xffff) >> 16);
  const has = memory.size();
  if (needed > has && memory.grow(needed - has) < 0) return 0;
  return input;
}

@inline function put(at: usize, start: usize, end: usize): void {
  store<i32>(at, <i32>start);
  store<i32>(at + 4, <i32>end);
}

@inline function skipSpace(): void {
  let c = load<u8>(p);
  while (c == 0x20 || c == 0x09 || c == 0x0d) c = load<u8>(++p);
}

/** Bytes at which a string may end: a quote, a backslash, a control character. With one bit flipped, a quote is as low as those. */
@inline function stops(v: v128): v128 {
  return v128.or(i8x16.le_u(v128.xor(v, i8x16.splat(0x02)), i8x16.splat(0x20)), i8x16.eq(v, i8x16.splat(0x5c)));
}

/** From an opening quote to behind the closing one. False where a control character comes first, such as the newline at the end. */
function skipString(): bool {
  p++;
  stringStart = p;
  stringEscaped = false;
  for (;;) {
    let mask = i8x16.bitmask(stops(v128.load(p)));
    while (mask == 0) {
      p += 16;
      mask = i8x16.bitmask(stops(v128.load(p)));
    }
    p += ctz(mask);
    const c = load<u8>(p);
    if (c == 0x22) {
      stringEnd = p++;
      return true;
    }
    if (c != 0x5c) return false;
    stringEscaped = true;
    // What is escaped may be the newline that ends the line; then the string has no end.
    if (load<u8>(p + 1) < 0x20) return false;
    p += 2;
  }
  return false;
}

/** Whether the last string is ASCII and without escapes. */
function isPlain(): bool {
  if (stringEscaped) return false;
  for (let at = stringStart; at < stringEnd; at++) if (load<u8>(at) >= 0x80) return false;
  return true;
}

/** From an opening bracket to behind the one that closes it. */
function skipNested(): bool {
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

/** Passes over the message, whose role is wanted: of its own members only the keys are looked at. */
function skipMessage(): bool {
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
    // The last message counts, so a role of an earlier one is forgotten.
    put(ROLE_AT, ABSENT, 0);
    return first == 0x7b ? skipMessage() : skipValue();
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

/** Whether the envelope of the line was found. The line ends before the newline that stands at `end`. */
export function scan(start: usize, end: usize): bool {
  put(TYPE_AT, ABSENT, 0);
  put(ID_AT, ABSENT, 0);
  put(PARENT_AT, ABSENT, 0);
  put(ROLE_AT, ABSENT, 0);
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
    return p == end;
  }
  return false;
}
